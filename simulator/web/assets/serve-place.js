// Threads and their memory moved about the drawing: by mouse, pen, finger and keyboard.
//
//   numasim.place.attach(drawing, view, setup, hands)
// A thread is taken by its box, its memory by a square above the memory that it uses. hands: moved(thread, node, core),
// memory(thread, node), added(node, core), ended(thread), say(text).
"use strict";
window.numasim = window.numasim || {};
numasim.place = (() => {
  const { make } = numasim.machine;
  const SLOP = 5; // pixels that a press may wander and still be none of a drag
  const WIDE = 27, HIGH = 17, GAP = 3; // a square of memory, drawing units
  let listening = null; // the last drawing's listeners end with it

  function attach(drawing, view, setup, hands) {
    if (listening) listening.abort();
    listening = new AbortController();
    const board = { drawing, view, setup, hands, svg: drawing.svg, taken: null };
    squares(board);
    dressed(board);
    const on = (name, handler) => board.svg.addEventListener(name, (event) => handler(board, event), { signal: listening.signal });
    const still = (event) => grabbed(event) && event.preventDefault(); // a finger on what can be taken does not scroll
    board.svg.addEventListener("touchstart", still, { passive: false, signal: listening.signal });
    on("pointerdown", pressed);
    on("pointermove", wandered);
    on("pointerup", released);
    on("pointercancel", letGo);
    on("click", clicked);
    on("keydown", key);
    on("focusout", (place) => place.taken && place.taken.byKey && letGo(place));
    return { busy: () => board.taken !== null };
  }

  // -- what can be taken ------------------------------------------------------------------------------------------------

  function squares(board) {
    for (const node of board.view.nodes) {
      const users = board.setup.threads.filter((one) => one.raw === undefined && one.memory === node.id && numasim.setup.fits(one, board.view));
      const room = board.view.box.width - 24;
      const step = Math.min(WIDE + GAP, room / Math.max(users.length, 1));
      users.forEach((one, place) => {
        const x = node.x + (place - (users.length - 1) / 2) * step, y = node.y + board.view.box.height / 2 - 61;
        const group = make("g", { class: `token${one.rate === null ? "" : " background"}`, "data-thread": one.id }, board.drawing.overlay);
        make("rect", { class: "reach", x: x - step / 2, y: y - 16, width: step, height: 32 }, group);
        const width = Math.min(WIDE, step - 1);
        make("rect", { class: "square", x: x - width / 2, y: y - HIGH / 2, width, height: HIGH, rx: 3 }, group);
        if (step > 20) make("text", { x, y, "font-size": 11 }, group, `${one.node}.${one.core}`);
        group.dataset.tip = `memory of thread ${numasim.setup.label(one)}: at node ${node.id}`;
        grip(group, `memory of thread ${numasim.setup.label(one)}, at node ${node.id}`);
      });
    }
  }

  function grip(element, words) {
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", words);
    element.setAttribute("aria-describedby", "how");
  }

  function dressed(board) {
    for (const element of board.svg.querySelectorAll(".thread")) {
      const one = board.setup.threads[Number(element.dataset.index)];
      element.dataset.thread = one.id;
      element.setAttribute("role", "button");
      element.setAttribute("aria-describedby", "how");
    }
    for (const element of board.svg.querySelectorAll(".core")) {
      const [node, core] = spot(element);
      if (numasim.setup.at(board.setup, node, core)) continue;
      element.classList.add("free");
      grip(element, `start a thread on core ${core} of node ${node}`);
    }
  }

  const spot = (core) => [Number(core.closest(".node").dataset.node), Number(core.dataset.core)];
  const owner = (board, element) => board.setup.threads.find((one) => one.id === Number(element.dataset.thread));
  const grabbed = (event) => event.target.closest(".token, .thread");

  // -- pointer ----------------------------------------------------------------------------------------------------------

  function take(board, element, byKey) {
    const one = owner(board, element);
    board.taken = { one, element, byKey, memory: element.matches(".token"), moved: false, target: null };
    element.classList.add("taken");
    return board.taken;
  }

  function pressed(board, event) {
    const element = grabbed(event);
    if (!element || event.button !== 0 || board.taken) return;
    Object.assign(take(board, element, false), { x: event.clientX, y: event.clientY, pointer: event.pointerId });
    board.svg.setPointerCapture(event.pointerId); // so that a drop outside is heard
  }

  function wandered(board, event) {
    const taken = board.taken;
    if (!taken || taken.byKey || event.pointerId !== taken.pointer) return;
    if (!taken.moved && Math.hypot(event.clientX - taken.x, event.clientY - taken.y) < SLOP) return;
    taken.moved = true;
    ghost(board, event);
    aim(board, under(board, event));
  }

  function released(board, event) {
    const taken = board.taken;
    if (!taken || taken.byKey || event.pointerId !== taken.pointer) return;
    const { moved, target } = taken;
    letGo(board);
    if (moved && target) drop(board, taken, target);
    else if (moved) board.hands.say("nothing changed: there is no place for it");
  }

  function clicked(board, event) {
    const core = event.target.closest(".core.free");
    if (core) board.hands.added(...spot(core));
  }

  function ghost(board, event) {
    const taken = board.taken;
    if (!taken.ghost) {
      taken.ghost = make("g", { class: "ghost" }, board.drawing.overlay);
      make("rect", { x: -32, y: -14, width: 64, height: 28, rx: 4 }, taken.ghost);
      make("text", { x: 0, y: 0, "font-size": 14 }, taken.ghost, taken.memory ? "memory" : numasim.setup.label(taken.one));
    }
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.svg.getScreenCTM().inverse());
    taken.ghost.setAttribute("transform", `translate(${point.x} ${point.y})`);
  }

  // What a drop there would do: {core: [node, core]}, {memory: node}, or null.
  function under(board, event) {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    const node = element && element.closest(".node, .token");
    if (!node || !board.svg.contains(element)) return null;
    const there = element.closest(".token") ? owner(board, element.closest(".token")).memory : Number(element.closest(".node").dataset.node);
    if (board.taken.memory || element.closest(".memory, .token")) return hasMemory(board, there) ? { memory: there } : null;
    const core = element.closest(".core");
    const free = core ? spot(core) : numasim.setup.freeCore(board.setup, board.view, there);
    return free ? { core: free } : null;
  }

  const hasMemory = (board, node) => numasim.setup.memories(board.view).includes(node);

  // -- both -------------------------------------------------------------------------------------------------------------

  function aim(board, target) {
    board.svg.querySelectorAll(".target").forEach((element) => element.classList.remove("target"));
    board.taken.target = target;
    if (!target) return;
    const [node, core] = target.core || [target.memory];
    const inner = target.core ? `.core[data-core="${core}"]` : ".memory";
    board.svg.querySelector(`.node[data-node="${node}"] ${inner}`).classList.add("target");
  }

  function letGo(board) {
    if (!board.taken) return;
    aim(board, null);
    board.taken.element.classList.remove("taken");
    if (board.taken.ghost) board.taken.ghost.remove();
    board.taken = null;
  }

  function drop(board, taken, target) {
    if (target.core) board.hands.moved(taken.one, ...target.core);
    else board.hands.memory(taken.one, target.memory);
  }

  // -- keyboard ---------------------------------------------------------------------------------------------------------

  function key(board, event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const element = event.target.closest(".token, .thread, .core.free");
    if (!element) return;
    const enters = event.key === "Enter" || event.key === " ";
    let used = true;
    if (element.matches(".core")) used = enters && (board.hands.added(...spot(element)), true);
    else if (board.taken && board.taken.byKey) used = steer(board, event.key, enters);
    else if (enters) takeByKey(board, element);
    else if (event.key === "Delete" || event.key === "Backspace") board.hands.ended(owner(board, element));
    else used = false;
    if (used) event.preventDefault();
  }

  function takeByKey(board, element) {
    const taken = take(board, element, true);
    const { view } = board;
    taken.choices = taken.memory ? numasim.setup.memories(view).map((node) => ({ memory: node })) : numasim.setup.cores(view).map((core) => ({ core }));
    taken.place = taken.choices.findIndex((choice) =>
      taken.memory ? choice.memory === taken.one.memory : choice.core[0] === taken.one.node && choice.core[1] === taken.one.core);
    aim(board, taken.choices[taken.place]);
    board.hands.say(`taken: ${taken.memory ? "memory of " : ""}thread ${numasim.setup.label(taken.one)}`);
  }

  function steer(board, name, enters) {
    const taken = board.taken;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[name];
    if (step) {
      taken.place = (taken.place + step + taken.choices.length) % taken.choices.length;
      aim(board, taken.choices[taken.place]);
      board.hands.say(choiceWords(board, taken.target));
    } else if (enters) {
      const { target } = taken;
      letGo(board);
      drop(board, taken, target);
    } else if (name === "Escape") {
      letGo(board);
      board.hands.say("let go, nothing changed");
    } else return name !== "Tab";
    return true;
  }

  function choiceWords(board, target) {
    if (!target.core) return `memory of node ${target.memory}`;
    const there = numasim.setup.at(board.setup, ...target.core);
    const taken = there && there !== board.taken.one ? `, they change places with thread ${numasim.setup.label(there)}` : "";
    return `core ${target.core[1]} of node ${target.core[0]}${taken}`;
  }

  return { attach };
})();
