// What all pages do: say what is under the pointer or focused ([data-tip]), switch light and dark, sort tables.
"use strict";
window.numasim = window.numasim || {};
numasim.page = (() => {
  let tip = null;

  function place(x, y) {
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 4))}px`;
    tip.style.top = `${y + 18 + box.height > window.innerHeight ? Math.max(4, y - box.height - 12) : y + 18}px`;
  }

  function show(element, x, y) {
    tip.textContent = element.dataset.tip;
    tip.hidden = false;
    place(x, y);
  }

  function hide() {
    tip.hidden = true;
  }

  function tips() {
    tip = document.createElement("div");
    tip.id = "tip";
    tip.hidden = true;
    tip.setAttribute("aria-hidden", "true"); // what it says is the label of what it belongs to
    document.body.append(tip);
    const target = (event) => (event.target.closest ? event.target.closest("[data-tip]") : null);
    const pointed = (event) => {
      const element = target(event);
      if (element) show(element, event.clientX, event.clientY);
      else hide();
    };
    document.addEventListener("pointermove", pointed);
    document.addEventListener("click", (event) => event.detail && pointed(event)); // a finger does not hover; keys click too
    document.addEventListener("pointerleave", hide);
    document.addEventListener("focusin", (event) => {
      const element = target(event);
      if (!element || !element.matches(":focus-visible")) return;
      const box = element.getBoundingClientRect();
      show(element, box.left + box.width / 2, box.top + box.height / 2);
    });
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function announce() {
    document.dispatchEvent(new CustomEvent("numasim:theme", { detail: { dark: isDark() } }));
  }

  function themes() {
    const button = document.querySelector("[data-theme-toggle]");
    const named = () => button && (button.textContent = isDark() ? "Light" : "Dark");
    named();
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { named(); announce(); });
    if (button) button.addEventListener("click", () => {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      named();
      announce();
    });
  }

  function value(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
    const number = Number(text);
    return text === "" || Number.isNaN(number) ? text : number;
  }

  function compare(first, second) {
    if (typeof first === "number" && typeof second === "number") return first - second;
    if (typeof first !== typeof second) return typeof first === "number" ? -1 : 1; // what has no number stands last
    return first.localeCompare(second, "en", { numeric: true });
  }

  function sortBy(table, column) {
    const heads = [...table.tHead.rows[0].cells];
    const up = heads[column].getAttribute("aria-sort") !== "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort((first, second) => {
      const order = compare(first[0], second[0]);
      return typeof first[0] === typeof second[0] && !up ? -order : order;
    });
    body.append(...rows.map((pair) => pair[1]));
  }

  function sortable(root) {
    for (const table of root.querySelectorAll("table.sortable")) {
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        if (!head.textContent.trim()) return;
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => sortBy(table, column));
      });
    }
  }

  function start() {
    tips();
    themes();
    sortable(document);
  }

  function colour(name) {
    const probe = document.createElement("i"); // a variable itself is not resolved to light or dark
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  return { start, isDark, colour, sortable };
})();
