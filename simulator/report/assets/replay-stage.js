// The machine of a replay: packets on links, packets that wait, slots, buffers and credits.
"use strict";
window.numasim = window.numasim || {};
numasim.Stage = (() => {
  const MOST_DOTS = 10, SHORTEST = 0.02, COLUMN = 9, ROOM = 18, SLOT_MOST = 11, SLOT_LEAST = 5;
  const make = (...all) => numasim.machine.make(...all);

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
        const rows = Math.min(4, Math.ceil((SLOT_LEAST * thread.slots) / (width - 6))), across = Math.ceil(thread.slots / rows);
        const size = Math.min(SLOT_MOST, (width - 6) / across, height / (2.5 * rows)), start = x + (width - size * across) / 2;
        const label = box.parentNode.querySelector("text");
        if (label) label.setAttribute("y", y + (height - size * rows) / 2);
        for (let slot = 0; slot < thread.slots; slot += 1) {
          const down = y + height - 3 - size * (rows - Math.floor(slot / across));
          const at = { x: start + (slot % across) * size, y: down, width: 0.9 * size, height: 0.9 * size, "stroke-width": 0.08 * size };
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

  return Stage;
})();
