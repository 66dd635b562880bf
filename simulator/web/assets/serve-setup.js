// The set-up of the page of `numasim serve`: a machine and threads, to and from the address and the words of the command line.
"use strict";
window.numasim = window.numasim || {};
numasim.setup = (() => {
  const LABEL = /^(\d{1,5})\.(\d{1,5})\.([rw])\.(\d{1,5})$/;
  const FIRST = { machine: "quartet", threads: ["0.0.w.1", "1.0.w.0"], background: [], set: [] }; // crossfire, as AMD calls it
  let last = 0;

  // A thread: {id, node, core, access, memory, rate}, rate null as fast as it can, else the text after @; or {id, raw, rate}, a
  // text that is no label: the server says what is wrong with it.
  function thread(label, rate = null) {
    const found = LABEL.exec(label);
    last += 1;
    if (!found) return { id: last, raw: label, rate };
    return { id: last, node: Number(found[1]), core: Number(found[2]), access: found[3], memory: Number(found[4]), rate };
  }

  const label = (one) => (one.raw === undefined ? `${one.node}.${one.core}.${one.access}.${one.memory}` : one.raw);

  // What the server is asked for.
  function request(setup) {
    return {
      machine: setup.machine,
      threads: setup.threads.filter((one) => one.rate === null).map(label),
      background: setup.threads.filter((one) => one.rate !== null).map((one) => `${label(one)}@${one.rate}`),
      set: setup.settings,
    };
  }

  function of(wanted) {
    const threads = wanted.threads.map((text) => thread(text));
    for (const text of wanted.background) {
      const at = text.indexOf("@");
      threads.push(at < 0 ? thread(text, "") : thread(text.slice(0, at), text.slice(at + 1)));
    }
    return { machine: wanted.machine, threads, settings: wanted.set };
  }

  function address(setup) {
    const { machine, threads, background, set } = request(setup);
    const parameters = new URLSearchParams([["machine", machine], ["threads", threads.join(" ")]]);
    background.forEach((text) => parameters.append("background", text));
    set.forEach((text) => parameters.append("set", text));
    return `#${parameters}`;
  }

  function read(hash) {
    const parameters = new URLSearchParams(hash.replace(/^#/, ""));
    if (!parameters.has("machine")) return of(FIRST);
    return of({
      machine: parameters.get("machine"),
      threads: (parameters.get("threads") || "").split(/\s+/).filter(Boolean),
      background: parameters.getAll("background"),
      set: parameters.getAll("set"),
    });
  }

  // The threads of the last set-up keep their numbers where the address gives the same ones, so that a change can be told.
  function keepIds(setup, before) {
    const free = before ? [...before.threads] : [];
    for (const test of [(a, b) => label(a) === label(b), (a, b) => a.raw === undefined && a.node === b.node && a.core === b.core]) {
      for (const one of setup.threads.filter((it) => !free.kept || !free.kept.has(it.id))) {
        const place = free.findIndex((other) => test(one, other));
        if (place < 0) continue;
        one.id = free[place].id;
        free.splice(place, 1);
        (free.kept = free.kept || new Set()).add(one.id);
      }
    }
    return setup;
  }

  const memories = (view) => view.nodes.filter((node) => node.controller).map((node) => node.id);
  const cores = (view) => view.nodes.flatMap((node) => Array.from({ length: node.cores }, (_, core) => [node.id, core]));
  const at = (setup, node, core) => setup.threads.find((one) => one.node === node && one.core === core);

  function fits(one, view) {
    const node = view.nodes.find((other) => other.id === one.node);
    return node !== undefined && one.core < node.cores && memories(view).includes(one.memory);
  }

  // A thread that reads the memory of its own node, or of the first that has any.
  function added(view, node, core) {
    const own = memories(view).includes(node) ? node : memories(view)[0];
    return thread(`${node}.${core}.r.${own}`);
  }

  function freeCore(setup, view, node = null) {
    return cores(view).find(([id, core]) => (node === null || id === node) && !at(setup, id, core));
  }

  return { read, address, request, label, thread, keepIds, memories, cores, at, fits, added, freeCore };
})();
