// What is where in a recorded window at one moment. Times are ps since it opened.
"use strict";
window.numasim = window.numasim || {};
numasim.Window = (() => {
  class Window {
    constructor(data) {
      this.data = data;
      this.events = this.moments();
      this.lineOf = new Map(); // of evictions: the line that they go with
      const { thread, number, eviction } = data.lines;
      thread.forEach((_, row) => eviction[row] || this.lineOf.set(`${thread[row]} ${number[row]}`, row));
    }

    moments() {
      const { hops, pools, spans, nops, length_ps } = this.data, found = new Set([0, length_ps]);
      const columns = [hops.queued, hops.granted, hops.tail, hops.arrived, spans.start, spans.end, nops.sent, nops.arrived];
      for (const column of [...columns, ...pools.map((pool) => pool.time)]) {
        for (const time of column) if (time !== null && time > 0 && time < length_ps) found.add(time);
      }
      return [...found].sort((first, second) => first - second);
    }

    line(row) {
      const { thread, number, eviction } = this.data.lines;
      return eviction[row] ? this.lineOf.get(`${thread[row]} ${number[row]}`) : row;
    }

    lineName(row) {
      const { lines, machine } = this.data;
      return `${machine.threads[lines.thread[row]].label} #${lines.number[row]}`;
    }

    flights(time) {
      const { hops, nops, ports, kinds } = this.data, found = [];
      for (let row = 0; row < hops.port.length; row += 1) {
        const arrived = hops.arrived[row];
        if (arrived === null || hops.granted[row] > time || ports[hops.port[row]].kind !== "link") continue;
        const way = arrived - hops.header[row];
        if (time >= hops.tail[row] + way) continue;
        const head = Math.min(1, (time - hops.granted[row]) / (arrived - hops.granted[row]));
        const tail = Math.min(head, Math.max(0, (time - hops.tail[row]) / way));
        found.push({ port: hops.port[row], kind: hops.kind[row], line: hops.line[row], head, tail });
      }
      for (let row = 0; row < nops.port.length; row += 1) {
        if (nops.sent[row] > time || time >= nops.arrived[row]) continue;
        const wire = nops.arrived[row] - nops.end[row];
        const head = (time - nops.sent[row]) / (nops.arrived[row] - nops.sent[row]);
        found.push({ port: nops.port[row], kind: kinds.length - 1, line: null, head, tail: wire ? Math.max(0, (time - nops.end[row]) / wire) : 0 });
      }
      return found;
    }

    waiting(time) {
      const { hops } = this.data, found = new Map();
      for (let row = 0; row < hops.port.length; row += 1) {
        if (hops.queued[row] > time || (hops.granted[row] !== null && time >= hops.granted[row])) continue;
        const port = hops.port[row];
        if (!found.has(port)) found.set(port, []);
        found.get(port).push(row);
      }
      for (const rows of found.values()) rows.sort((first, second) => hops.queued[first] - hops.queued[second]);
      return found;
    }

    slots(time) {
      const { lines, spans, parts } = this.data, found = new Map();
      for (let row = 0; row < lines.thread.length; row += 1) {
        if (!lines.eviction[row] && lines.completed[row] === null && lines.launched[row] <= time) {
          found.set(`${lines.thread[row]} ${lines.slot[row]}`, { line: row, group: "walking", words: "under way" });
        }
      }
      for (let row = 0; row < spans.line.length; row += 1) {
        if (spans.start[row] > time || time >= spans.end[row]) continue;
        const line = spans.line[row], part = parts[spans.part[row]];
        found.set(`${lines.thread[line]} ${lines.slot[line]}`, { line, group: part.group, words: part.words });
      }
      return found;
    }

    free(pool, time) {
      let low = 0, high = pool.time.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pool.time[middle] <= time) low = middle + 1;
        else high = middle;
      }
      return low ? pool.free[low - 1] : pool.free[0];
    }
  }

  return Window;
})();
