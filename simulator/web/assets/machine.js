// The machine as an SVG, from what simulator.web.machine_view gives. Text is set as text, never as markup.
//
//   const drawing = numasim.machine.draw(element, view)   draws into an element, in place of what it holds
//   drawing.svg; drawing.overlay                          an empty group above everything, for what a page adds
//   drawing.core(node, core) -> {x, y, width, height}     place of a core, drawing units; null: there is none
//   drawing.link(key) -> link of the view
// Elements: .node[data-node] .core[data-core] .thread[data-label][data-index] .memory[data-node] .link[data-key].
"use strict";
window.numasim = window.numasim || {};
numasim.machine = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const PAD = 12, TITLE = 30, MEMORY = 46, GAP = 4, THIN = 3, THICK = 15;

  function make(name, attributes, parent, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "style") element.style.cssText = value; // an attribute would be refused where a page forbids inline styles
      else element.setAttribute(key, value);
    }
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  }

  const fixed = (value, digits) => (value === null || value === undefined ? "-" : value.toFixed(digits));
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const heat = (share) => (share === null ? "heat-none" : `heat-${Math.max(0, Math.min(10, Math.round(10 * share)))}`);

  function linkWords(link) {
    const words = [`link ${link.key}: ${link.width_bits} bit, ${fixed(link.rate_gb_per_s, 2)} GB/s, ${link.latency_ns} ns`];
    if (!link.load) return words.join("\n");
    words.push(`busy ${fixed(100 * link.load.utilization, 1)} %, ${fixed(link.load.gb_per_s, 3)} GB/s sent`);
    if (link.load.demand_gb_per_s !== null) words.push(`would send ${fixed(link.load.demand_gb_per_s, 3)} GB/s if it were ideal`);
    const total = Object.values(link.load.bytes_by_class).reduce((sum, bytes) => sum + bytes, 0);
    for (const [name, bytes] of Object.entries(link.load.bytes_by_class)) {
      if (bytes) words.push(`${name.replace("_", " ")} ${fixed((100 * bytes) / total, 1)} % of the bytes`);
    }
    return words.join("\n");
  }

  function memoryWords(node) {
    if (!node.controller) return `node ${node.id} has no memory`;
    const size = node.memory_gib === null ? "" : `${node.memory_gib} GiB, `;
    const words = [`memory of node ${node.id}: ${size}bus peak ${fixed(node.controller.peak_gb_per_s, 2)} GB/s`];
    if (!node.load) return words.join("\n");
    words.push(`busy ${fixed(100 * node.load.utilization, 1)} %, ${fixed(node.load.gb_per_s, 3)} GB/s`);
    words.push(`read ${fixed(node.load.read_gb_per_s, 3)}, written ${fixed(node.load.write_gb_per_s, 3)} GB/s`);
    words.push(`holds ${fixed(node.load.mean_queue, 2)} of ${node.controller.queue} transactions on average`);
    return words.join("\n");
  }

  function threadWords(thread) {
    const verb = { r: "reads", w: "writes" }[thread.access] || "reads and writes";
    const where = thread.memory === "*" ? "several memories" : `memory of node ${thread.memory}`;
    const kind = thread.background ? "background thread" : "thread";
    const words = [`${kind} ${thread.label}: core ${thread.core} of node ${thread.node} ${verb} ${where}`];
    if (thread.rate_gb_per_s) words.push(`asks for ${fixed(thread.rate_gb_per_s, 2)} GB/s`);
    if (thread.gb_per_s === undefined) return words.join("\n");
    if (thread.time_ns !== undefined) {
      words.push(`${fixed(thread.time_ns / 1000, 2)} us in all, ${thread.lines} lines, ${fixed(thread.gb_per_s, 3)} GB/s`);
      if (thread.local_percent !== null) words.push(`${fixed(thread.local_percent, 1)} % of its lines from its own node's memory`);
      return words.join("\n");
    }
    const interval = thread.ci_percent === null ? "" : ` \u00b1 ${fixed(thread.ci_percent, 2)} %`;
    words.push(`${fixed(thread.time_per_line_ns, 2)} ns a line${interval}, ${fixed(thread.gb_per_s, 3)} GB/s, ${thread.lines} lines`);
    return words.join("\n");
  }

  function said(element, words) {
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", words.replaceAll("\n", "; "));
    element.dataset.tip = words;
  }

  // -- nodes ------------------------------------------------------------------------------------------------------------

  function columns(cores) {
    if (cores <= 4) return Math.max(cores, 1);
    return cores <= 8 ? 4 : cores <= 12 ? 6 : cores <= 16 ? 8 : Math.ceil(Math.sqrt(cores * 2));
  }

  function corePlace(view, node, core) {
    if (core < 0 || core >= node.cores) return null;
    const across = columns(node.cores), down = Math.ceil(node.cores / across);
    const width = (view.box.width - 2 * PAD) / across, height = (view.box.height - TITLE - MEMORY - 2 * PAD) / down;
    const x = node.x - view.box.width / 2 + PAD + (core % across) * width;
    const y = node.y - view.box.height / 2 + TITLE + Math.floor(core / across) * height;
    return { x: x + GAP / 2, y: y + GAP / 2, width: width - GAP, height: height - GAP };
  }

  function fit(text, width, size) {
    return Math.min(size, (1.5 * width) / Math.max(text.length, 1));
  }

  function lines(group, place, texts, size) {
    const step = Math.min(size * 1.25, place.height / texts.length);
    texts.forEach((text, index) => {
      const y = place.y + place.height / 2 + (index - (texts.length - 1) / 2) * step;
      make("text", { x: place.x + place.width / 2, y, "font-size": fit(text, place.width - 4, size) }, group, text);
    });
  }

  function drawThread(parent, thread, index, place) {
    const group = make("g", { class: `thread${thread.background ? " background" : ""}`, "data-label": thread.label, "data-index": index }, parent);
    make("rect", { ...place, rx: 4 }, group);
    const verb = { r: "reads", w: "writes" }[thread.access] || "uses";
    const roomy = place.width > 55 && place.height > 30;
    const several = thread.memory === "*";
    const texts = [several ? thread.label : roomy ? `${verb} ${thread.memory}` : `${thread.access}${thread.memory}`];
    if (roomy && thread.gb_per_s !== undefined) texts.push(`${fixed(thread.gb_per_s, 2)} GB/s`);
    lines(group, place, texts, roomy ? 14 : 12);
    said(group, threadWords(thread));
  }

  function drawCores(group, view, node) {
    const threads = view.threads.map((thread, index) => [thread, index]).filter(([thread]) => thread.node === node.id);
    for (let core = 0; core < node.cores; core += 1) {
      const place = corePlace(view, node, core);
      const cell = make("g", { class: "core", "data-core": core }, group);
      make("rect", { ...place, rx: 4 }, cell);
      const own = threads.filter(([thread]) => thread.core === core);
      if (!own.length && place.width > 26) lines(cell, place, [place.width > 55 ? `core ${core}` : `${core}`], 13);
      const height = place.height / Math.max(own.length, 1);
      own.forEach(([thread, index], row) => drawThread(cell, thread, index, { ...place, y: place.y + row * height, height }));
    }
    if (!node.cores) make("text", { x: node.x, y: node.y - 16, "font-size": 14, "text-anchor": "middle" }, group, "no cores");
  }

  function drawMemory(group, view, node) {
    const place = { x: node.x - view.box.width / 2 + PAD, y: node.y + view.box.height / 2 - MEMORY - PAD / 2, width: view.box.width - 2 * PAD, height: MEMORY };
    const memory = make("g", { class: `memory ${heat(node.load ? node.load.utilization : null)}`, "data-node": node.id }, group);
    make("rect", { ...place, rx: 4 }, memory);
    const texts = [node.controller ? `memory${node.memory_gib === null ? "" : ` ${node.memory_gib} GiB`}` : "no memory"];
    if (node.load) {
      const width = place.width * Math.min(1, node.load.utilization);
      make("rect", { class: "load", x: place.x, y: place.y + place.height - 8, width, height: 8 }, memory);
      texts.push(`${fixed(node.load.gb_per_s, 2)} GB/s, busy ${percent(node.load.utilization)}`);
    }
    lines(memory, { ...place, height: node.load ? MEMORY - 8 : MEMORY }, texts, 13);
    said(memory, memoryWords(node));
  }

  function drawNode(parent, view, node) {
    const group = make("g", { class: "node", "data-node": node.id }, parent);
    const box = { x: node.x - view.box.width / 2, y: node.y - view.box.height / 2, width: view.box.width, height: view.box.height };
    make("rect", { class: "box", ...box, rx: 9 }, group);
    make("text", { class: "node-name", x: node.x, y: box.y + 21 }, group, `node ${node.id}`);
    drawCores(group, view, node);
    drawMemory(group, view, node);
  }

  // -- links ------------------------------------------------------------------------------------------------------------

  function drawLink(parent, link) {
    const share = link.load ? link.load.utilization : null;
    const group = make("g", { class: `link ${heat(share)}`, "data-key": link.key }, parent);
    const wide = link.scale * (THIN + (THICK - THIN) * (share === null ? 0.25 : Math.min(1, share)));
    const length = Math.hypot(link.x2 - link.x1, link.y2 - link.y1) || 1;
    const [ux, uy] = [(link.x2 - link.x1) / length, (link.y2 - link.y1) / length];
    const head = Math.min(link.scale * 20, length / 2), half = link.scale * Math.max(8, wide * 0.85);
    const [bx, by] = [link.x2 - ux * head, link.y2 - uy * head];
    const shaft = { x1: link.x1, y1: link.y1, x2: bx, y2: by };
    make("line", { class: "edge", ...shaft, "stroke-width": wide + 2 }, group);
    make("line", { class: "lane", ...shaft, "stroke-width": wide }, group);
    const tip = `M${link.x2} ${link.y2} L${bx - uy * half} ${by + ux * half} L${bx + uy * half} ${by - ux * half} Z`;
    make("path", { class: "edge", d: tip, "stroke-width": 2 }, group);
    make("path", { class: "head", d: tip }, group);
    make("line", { class: "hit", x1: link.x1, y1: link.y1, x2: link.x2, y2: link.y2, style: `stroke-width:${30 * link.scale}` }, group);
    said(group, linkWords(link));
  }

  function drawNumber(parent, link) {
    const at = { class: "number", x: link.label_x, y: link.label_y, style: `font-size:${16 * Math.max(link.scale, 0.7)}px` };
    if (link.load) make("text", { ...at, "aria-hidden": "true" }, parent, percent(link.load.utilization));
  }

  // -- all --------------------------------------------------------------------------------------------------------------

  function draw(element, view) {
    const svg = make("svg", { class: "machine", viewBox: `0 0 ${view.width} ${view.height}`, role: "group", "aria-label": `the machine ${view.title}` });
    const links = make("g", { class: "links" }, svg), nodes = make("g", { class: "nodes" }, svg), numbers = make("g", { class: "numbers" }, svg);
    view.nodes.forEach((node) => drawNode(nodes, view, node));
    view.links.forEach((link) => drawLink(links, link));
    view.links.forEach((link) => drawNumber(numbers, link));
    const overlay = make("g", { class: "overlay" }, svg);
    element.replaceChildren(svg);
    const byId = new Map(view.nodes.map((node) => [node.id, node])), byKey = new Map(view.links.map((link) => [link.key, link]));
    return {
      svg,
      overlay,
      core: (node, core) => (byId.has(node) ? corePlace(view, byId.get(node), core) : null),
      link: (key) => byKey.get(key),
    };
  }

  return { draw, make, linkWords, memoryWords, threadWords };
})();
