// A line's life as a table, the step of the moment marked.
"use strict";
window.numasim = window.numasim || {};
numasim.Life = (() => {
  const ns = (time) => (time / 1000).toFixed(3);

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

  return Life;
})();
