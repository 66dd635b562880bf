// A recorded window, stepped through: packets on links, packets that wait, slots, buffers and credits; and a line's life.
// Times inside are ps since the window opened; what the page shows is ns.
"use strict";
window.numasim = window.numasim || {};
numasim.replay = (() => {
  const MOST_DOTS = 10, SHORTEST = 0.02, COLUMN = 9, ROOM = 18;
  const make = (...all) => numasim.machine.make(...all);
  const ns = (time) => (time / 1000).toFixed(3);

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }

  // -- what is where at one moment --------------------------------------------------------------------------------------

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

  // -- the drawing ------------------------------------------------------------------------------------------------------

  class Stage {
    constructor(place, window_) {
      this.window = window_;
      this.data = window_.data;
      this.drawing = numasim.machine.draw(place, this.data.machine);
      this.layer = this.drawing.overlay;
      this.lanes = new Map();
      this.data.ports.forEach((port, row) => port.kind === "link" && this.addLane(port, row));
      this.pools = this.data.pools.map((pool) => this.addPool(pool));
      this.slots = this.addSlots();
      this.moving = make("g", {}, this.layer);
    }

    addLane(port, row) {
      const link = this.drawing.link(port.key);
      if (!link) return;
      const [dx, dy] = [link.x2 - link.x1, link.y2 - link.y1], length = Math.hypot(dx, dy);
      const cross = dx * (link.label_y - link.y1) - dy * (link.label_x - link.x1);
      const at = `translate(${link.x1} ${link.y1}) rotate(${(Math.atan2(dy, dx) * 180) / Math.PI})`;
      const group = make("g", { transform: at }, this.layer);
      this.lanes.set(row, { link, length, side: cross < 0 ? -1 : 1, group, packets: make("g", {}, group), dots: make("g", {}, group), pools: 0, words: null });
    }

    addPool(pool) {
      if (pool.kind === "controller") return this.addPlaces(pool);
      const group = make("g", { class: "pool" });
      const place = pool.kind === "link" ? this.linkColumn(pool) : this.nodeColumn(pool);
      if (!place) return null;
      place.parent.append(group);
      make("rect", { class: "room", x: place.x, y: place.y, width: COLUMN - 2, height: ROOM }, group);
      const taken = make("rect", { class: "taken", x: place.x + 1, y: place.y, width: COLUMN - 4, height: 0 }, group);
      return (free) => {
        const height = (ROOM * (pool.capacity - free)) / pool.capacity;
        taken.setAttribute("height", height);
        taken.setAttribute("y", place.grows < 0 ? place.y + ROOM - height : place.y);
        group.classList.toggle("empty", free === 0);
        group.dataset.tip = `${pool.name}\n${free} of ${pool.capacity} left`;
      };
    }

    linkColumn(pool) {
      const lane = this.lanes.get(pool.port);
      if (!lane) return null;
      const x = lane.length - 12 - COLUMN * (lane.pools += 1);
      return { parent: lane.group, x, y: lane.side < 0 ? -14 - ROOM : 14, grows: lane.side };
    }

    nodeColumn(pool) {
      const node = this.data.machine.nodes.find((found) => found.id === pool.node);
      if (!node) return null;
      this.beside = this.beside || new Map();
      const toCrossbar = this.data.ports[pool.port].name.includes("SRI to"), key = `${pool.node} ${toCrossbar}`;
      const count = this.beside.get(key) || 0;
      this.beside.set(key, count + 1);
      const { width, height } = this.data.machine.box, edge = width / 2 - 10;
      const x = toCrossbar ? node.x - edge + count * COLUMN : node.x + edge - (count + 1) * COLUMN;
      return { parent: this.layer, x, y: node.y - height / 2 + 7, grows: -1 };
    }

    addPlaces(pool) {
      const memory = this.drawing.svg.querySelector(`.memory[data-node="${pool.node}"]`);
      if (!memory) return null;
      const box = memory.querySelector("rect");
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
      memory.querySelectorAll("text").forEach((text) => text.remove());
      const bar = make("rect", { x, y: y + height - 12, width: 0, height: 12, class: "places" }, memory);
      const words = make("text", { x: x + width / 2, y: y + (height - 12) / 2, "font-size": 13 }, memory, "");
      return (free) => {
        bar.setAttribute("width", (width * (pool.capacity - free)) / pool.capacity);
        words.textContent = `${pool.capacity - free} of ${pool.capacity} places`;
        memory.dataset.tip = `memory of node ${pool.node}\n${pool.capacity - free} of ${pool.capacity} places of its queue taken`;
        memory.setAttribute("aria-label", memory.dataset.tip.replaceAll("\n", "; "));
      };
    }

    addSlots() {
      const found = new Map();
      this.data.machine.threads.forEach((thread, index) => {
        const box = this.drawing.svg.querySelector(`.thread[data-index="${index}"] > rect`);
        if (!box) return;
        const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
        const size = Math.min(11, (width - 6) / thread.slots, height / 3), start = x + (width - size * thread.slots) / 2;
        for (let slot = 0; slot < thread.slots; slot += 1) {
          const at = { x: start + slot * size + 0.5, y: y + height - size - 3, width: size - 1, height: size - 1 };
          found.set(`${index} ${slot}`, make("rect", { class: "slot nothing", ...at }, this.layer));
        }
      });
      return found;
    }

    show(time, chosen) {
      this.showPackets(time, chosen);
      this.showWaiting(this.window.waiting(time), chosen);
      const doing = this.window.slots(time);
      for (const [key, square] of this.slots) {
        const now = doing.get(key);
        const group = now ? (now.group === "core" ? "core-time" : now.group) : "nothing";
        square.setAttribute("class", `slot ${group}${now && now.line === chosen ? " chosen" : ""}`);
        if (now) square.dataset.line = now.line;
        else delete square.dataset.line;
        square.dataset.tip = now ? `${this.window.lineName(now.line)}\n${now.words}` : "no line";
      }
      this.data.pools.forEach((pool, row) => this.pools[row] && this.pools[row](this.window.free(pool, time)));
    }

    showPackets(time, chosen) {
      const found = new Map([...this.lanes.keys()].map((port) => [port, []]));
      for (const flight of this.window.flights(time)) if (found.has(flight.port)) found.get(flight.port).push(flight);
      for (const [port, flights] of found) {
        const lane = this.lanes.get(port), group = lane.packets;
        while (group.childElementCount > flights.length) group.lastChild.remove();
        while (group.childElementCount < flights.length) make("line", { y1: 0, y2: 0 }, group);
        flights.forEach((flight, place) => this.setPacket(group.children[place], lane, flight, chosen));
      }
    }

    setPacket(element, lane, flight, chosen) {
      const kind = this.data.kinds[flight.kind], head = Math.max(flight.head, SHORTEST);
      element.setAttribute("x1", lane.length * Math.min(flight.tail, head - SHORTEST));
      element.setAttribute("x2", lane.length * head);
      element.setAttribute("stroke", kind.colour);
      this.belong(element, flight.line, kind.name, `packet${flight.line === null ? " nop" : ""}`, chosen);
    }

    belong(element, line, kind, name, chosen) {
      const own = line === null ? undefined : this.window.line(line);
      element.setAttribute("class", own !== undefined && own === chosen ? `${name} chosen` : name);
      if (own === undefined) delete element.dataset.line;
      else element.dataset.line = own;
      element.dataset.tip = line === null ? "NOP: gives credits back" : `${kind} of ${this.window.lineName(line)}${this.data.lines.eviction[line] ? ", its eviction" : ""}`;
    }

    showWaiting(waiting, chosen) {
      const { hops, kinds } = this.data;
      for (const [port, lane] of this.lanes) {
        const rows = waiting.get(port) || [], shown = rows.slice(0, MOST_DOTS), group = lane.dots;
        while (group.querySelectorAll("circle").length > shown.length) group.querySelector("circle").remove();
        while (group.querySelectorAll("circle").length < shown.length) make("circle", { r: 5, cy: 20 * lane.side }, group);
        [...group.querySelectorAll("circle")].forEach((dot, place) => {
          const kind = kinds[hops.kind[shown[place]]];
          dot.setAttribute("cx", 8 + 12 * place);
          dot.setAttribute("fill", kind.colour);
          this.belong(dot, hops.line[shown[place]], `${kind.name}, waiting,`, "queued", chosen);
        });
        const more = rows.length > MOST_DOTS ? `+${rows.length - MOST_DOTS}` : "";
        lane.words = lane.words || make("text", { class: "waiting-words", x: 8 + 12 * MOST_DOTS, y: 20 * lane.side, "dominant-baseline": "central" }, group, "");
        lane.words.textContent = more;
      }
    }
  }

  // -- a line's life ----------------------------------------------------------------------------------------------------

  class Life {
    constructor(section, window_, go) {
      this.window = window_;
      this.go = go;
      this.place = section.querySelector(".life .table-wrap");
      this.pick = section.querySelector('[data-do="line"]');
      this.rows = [];
      this.chosen = null;
      this.pinned = false;
      this.fill();
    }

    fill() {
      const { lines, lives } = this.window.data;
      for (const row of Object.keys(lives.rows).map(Number)) {
        const when = `${(lines.issued[row] / 1000).toFixed(1)} to ${(lines.completed[row] / 1000).toFixed(1)} ns`;
        this.pick.add(new Option(`${this.window.lineName(row)}: ${lines.name[row]}, ${when}`, row));
      }
    }

    choose(row, time) {
      if (row === this.chosen) return;
      this.chosen = row;
      const { lives } = this.window.data;
      this.rows = [];
      if (row === null) return;
      if (lives.rows[row]) {
        this.pick.value = row;
        this.place.replaceChildren(this.steps(row, lives), this.sums(row, lives));
      } else {
        this.pick.value = "";
        const text = document.createElement("p");
        text.textContent = `${this.window.lineName(row)} is not complete within the window, so its life is not told.`;
        this.place.replaceChildren(text);
      }
      this.mark(time);
    }

    table(heads, texts) {
      const table = document.createElement("table"), head = table.createTHead().insertRow();
      for (const [place, text] of heads.entries()) {
        const cell = document.createElement("th");
        cell.scope = "col";
        if (place >= texts) cell.className = "text";
        cell.textContent = text;
        head.append(cell);
      }
      table.createTBody();
      return table;
    }

    steps(row, lives) {
      const { lines, parts } = this.window.data, table = this.table(["at ns", "takes ns", "part", "where", "what"], 2);
      table.createCaption().textContent = `Life of line ${this.window.lineName(row)}: ${lines.name[row]}. Rows with a part are its own time, one after another; the others go on beside it.`;
      for (const [at, takes, part, where, what] of lives.rows[row].steps) {
        const line = table.tBodies[0].insertRow(), start = lines.issued[row] + at;
        if (part === null) line.className = "beside";
        const jump = document.createElement("button");
        jump.type = "button";
        jump.textContent = ns(at);
        jump.setAttribute("aria-label", `${ns(at)} ns: take the replay there`);
        jump.addEventListener("click", () => this.go(start));
        line.insertCell().append(jump);
        line.insertCell().textContent = takes === null ? "" : ns(takes);
        for (const text of [part === null ? "" : parts[part].words, lives.texts[where], lives.texts[what]]) {
          const cell = line.insertCell();
          cell.className = "text";
          cell.textContent = text;
        }
        if (part !== null) this.rows.push({ line, start, end: start + takes });
      }
      return table;
    }

    sums(row, lives) {
      const { parts } = this.window.data, table = this.table(["part", "ns"], 2), latency = lives.rows[row].sums.filter(([part]) => parts[part].group !== "core");
      table.createCaption().textContent = "What its latency consists of";
      table.tHead.rows[0].cells[0].className = "text";
      const whole = latency.reduce((sum, [, time]) => sum + time, 0);
      for (const [words, time] of [...latency.map(([part, time]) => [parts[part].words, time]), ["latency: their sum", whole]]) {
        const line = table.tBodies[0].insertRow(), cell = line.insertCell();
        cell.className = "text";
        cell.textContent = words;
        line.insertCell().textContent = ns(time);
      }
      return table;
    }

    mark(time) {
      for (const { line, start, end } of this.rows) {
        const now = start <= time && time < end;
        if (now && !line.classList.contains("now")) this.reveal(line);
        line.classList.toggle("now", now);
      }
    }

    reveal(line) {
      const { scrollTop, clientHeight } = this.place, room = 3 * line.offsetHeight;
      if (this.place.matches(":hover, :focus-within")) return;
      if (line.offsetTop < scrollTop + room || line.offsetTop > scrollTop + clientHeight - room) this.place.scrollTop = line.offsetTop - room;
    }
  }

  // -- controls ---------------------------------------------------------------------------------------------------------

  function words(window_, time) {
    const { data } = window_, flights = window_.flights(time), counts = new Map();
    for (const flight of flights) counts.set(data.kinds[flight.kind].name, (counts.get(data.kinds[flight.kind].name) || 0) + 1);
    const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    const waiting = [...window_.waiting(time)].map(([port, rows]) => `${data.ports[port].name} ${rows.length}`).join(", ");
    const gone = data.pools.filter((pool) => window_.free(pool, time) === 0).map((pool) => pool.name).join(", ");
    return [
      `On links: ${kinds || "nothing"}.`,
      `Waiting: ${waiting || "nothing"}.`,
      `None left of: ${gone || "no buffers or credits"}.`,
    ].join(" ");
  }

  async function start(section, packed, rests) {
    const window_ = new Window(await unpack(packed));
    const find = (name) => section.querySelector(`[data-do="${name}"]`);
    const slider = section.querySelector('input[type="range"]'), output = section.querySelector("output"), now = section.querySelector(".moment");
    const play = find("play"), speed = find("speed"), length = window_.data.length_ps;
    const stage = new Stage(section.querySelector(".machine-place"), window_);
    const life = new Life(section, window_, go);
    let time = 0, playing = false, last = null, rest = null;

    function settle() {
      clearTimeout(rest);
      if (!playing) rest = setTimeout(() => rests(time), 120);
    }

    function show() {
      slider.value = time / 1000;
      const text = `${(time / 1000).toFixed(1)} of ${(length / 1000).toFixed(0)} ns`;
      output.textContent = text;
      slider.setAttribute("aria-valuetext", text);
      stage.show(time, life.chosen);
      life.mark(time);
      now.textContent = words(window_, time);
      settle();
    }

    function go(to) {
      time = Math.max(0, Math.min(length, to));
      show();
    }

    function tick(stamp) {
      if (!playing) return;
      if (last !== null) time = Math.min(length, time + (stamp - last) * Number(speed.value)); // ms x ns/s = ps
      last = stamp;
      show();
      if (time >= length) set(false);
      else requestAnimationFrame(tick);
    }

    function set(on) {
      playing = on;
      last = null;
      if (on && time >= length) time = 0;
      play.textContent = on ? "Pause" : "Play";
      play.setAttribute("aria-pressed", on);
      now.setAttribute("aria-live", on ? "off" : "polite");
      if (on) requestAnimationFrame(tick);
      settle();
    }

    function step(forward) {
      set(false);
      const { events } = window_;
      const next = forward ? events.find((event) => event > time + 0.5) : events.findLast((event) => event < time - 0.5);
      if (next !== undefined) go(next);
    }

    function choose(row, pin) {
      if (life.pinned && !pin) return;
      life.pinned = pin && !(life.pinned && life.chosen === row);
      life.choose(row, time);
      stage.show(time, life.chosen);
    }

    const own = (event) => {
      const element = event.target.closest("[data-line]");
      return element ? Number(element.dataset.line) : null;
    };
    stage.drawing.svg.addEventListener("pointerover", (event) => own(event) !== null && choose(own(event), false));
    stage.drawing.svg.addEventListener("click", (event) => own(event) !== null && choose(own(event), true));
    slider.addEventListener("input", () => go(Number(slider.value) * 1000));
    play.addEventListener("click", () => set(!playing));
    find("back").addEventListener("click", () => step(false));
    find("on").addEventListener("click", () => step(true));
    life.pick.addEventListener("change", () => {
      const row = Number(life.pick.value), { issued, completed } = window_.data.lines;
      life.pinned = false;
      choose(row, true);
      if (time < issued[row] || time >= completed[row]) go(issued[row]);
    });
    const told = Object.keys(window_.data.lives.rows).map(Number), { lines, machine } = window_.data;
    const foreground = told.filter((row) => !machine.threads[lines.thread[row]].background);
    const first = (foreground.length ? foreground : told).find((row) => lines.issued[row] >= 0);
    if (first !== undefined) life.choose(first, time);
    show();
    return { go };
  }

  return { start };
})();
