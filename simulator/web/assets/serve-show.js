// Answers of `numasim serve` as elements of the page: the list of threads, changes, bars, tables, explanations.
"use strict";
window.numasim = window.numasim || {};
numasim.show = (() => {
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const signed = (value, digits) => {
    const text = Math.abs(value).toFixed(digits);
    return `${Number(text) === 0 ? "" : value < 0 ? "\u2212" : "+"}${text}`;
  };

  // -- change against the last setting ----------------------------------------------------------------------------------

  // {percent, noise}: how much longer a line takes than before, and whether the intervals of both could make that; null: unknown.
  function change(now, before) {
    if (!now || !before || now.time_per_line_ns === null || before.time_per_line_ns === null) return null;
    const percent = 100 * (now.time_per_line_ns / before.time_per_line_ns - 1);
    const known = now.ci_percent !== null && before.ci_percent !== null;
    return { percent, noise: !known || Math.abs(percent) <= Math.hypot(now.ci_percent, before.ci_percent) };
  }

  function changed(cell, difference) {
    cell.className = "change";
    cell.removeAttribute("title");
    if (!difference) cell.textContent = "";
    else if (difference.percent === 0) cell.textContent = "same";
    else {
      cell.textContent = difference.noise ? `(${signed(difference.percent, 1)} %)` : `${signed(difference.percent, 1)} %`;
      cell.classList.add(difference.noise ? "faint" : difference.percent > 0 ? "slower" : "faster");
      cell.title = difference.noise ? "not told from noise" : difference.percent > 0 ? "slower than before" : "faster than before";
    }
  }

  // The mean of the foreground threads; its interval is that of the mean of independent ones.
  function mean(threads) {
    const timed = threads.filter((one) => !one.background && one.time_per_line_ns !== null);
    if (!timed.length) return null;
    const time = timed.reduce((sum, one) => sum + one.time_per_line_ns, 0) / timed.length;
    const known = timed.every((one) => one.ci_percent !== null);
    const widths = timed.map((one) => (one.time_per_line_ns * one.ci_percent) / 100);
    return { time_per_line_ns: time, ci_percent: known ? (100 * Math.hypot(...widths)) / timed.length / time : null };
  }

  function headline(document, before) {
    const now = mean(document.threads);
    const parts = [];
    if (document.verdict !== "steady") parts.push(`This run is not steady: ${document.verdict}${document.verdict_detail ? `, ${document.verdict_detail}` : ""}.`);
    if (now) parts.push(`${now.time_per_line_ns.toFixed(2)} ns a line, mean of the foreground`);
    const old = before && mean(before.threads);
    const difference = change(now, old);
    if (difference) {
      const size = `${Math.abs(difference.percent).toFixed(1)} % ${difference.percent > 0 ? "slower" : "faster"} than before (${old.time_per_line_ns.toFixed(2)})`;
      parts.push(difference.percent === 0 ? "as before" : difference.noise ? `${size}: not told from noise` : size);
    }
    const busiest = Object.entries(document.links).sort((one, other) => other[1].utilization - one[1].utilization)[0];
    if (busiest) {
      const was = before && before.machine === document.machine && before.links[busiest[0]];
      const text = `link ${busiest[0]} is busiest: ${(100 * busiest[1].utilization).toFixed(1)} %`;
      parts.push(was ? `${text} (${(100 * was.utilization).toFixed(1)} before)` : text);
    }
    return parts.join("; ");
  }

  // -- the list of threads ----------------------------------------------------------------------------------------------

  function options(select, choices, chosen) {
    if (!choices.some(([value]) => value === chosen)) choices = [...choices, [chosen, `${chosen} (not there)`]];
    for (const [value, text] of choices) {
      const option = make("option", { value }, text);
      option.selected = value === chosen;
      select.append(option);
    }
    return select;
  }

  function picker(name, words, choices, chosen, act) {
    const select = options(make("select", { "data-control": name, "aria-label": words }), choices, chosen);
    select.addEventListener("change", () => act(select.value));
    return make("td", { class: "text" }, select);
  }

  function speed(one, words, hands) {
    const cell = make("td", { class: "text speed" });
    const kinds = [["fast", "as it can"], ["background", "background at"]];
    const kind = options(make("select", { "data-control": "kind", "aria-label": `how fast ${words} runs` }), kinds, one.rate === null ? "fast" : "background");
    kind.addEventListener("change", () => hands.edited(one, { rate: kind.value === "fast" ? null : "1" }));
    cell.append(kind);
    if (one.rate === null) return cell;
    const rate = make("input", { "data-control": "rate", list: "levels", size: "5", maxlength: "40", autocomplete: "off", inputmode: "decimal", "aria-label": `GB/s that ${words} asks for` });
    rate.value = one.rate;
    rate.addEventListener("change", () => hands.edited(one, { rate: rate.value.trim() }));
    cell.append(rate);
    return cell;
  }

  function threadRow(one, view, hands) {
    const label = numasim.setup.label(one), words = `thread ${label}`;
    const row = make("tr", { "data-thread": one.id }, make("th", { class: "text", scope: "row" }, label));
    if (one.raw === undefined) {
      const cores = numasim.setup.cores(view).map(([node, core]) => [`${node}.${core}`, `${node}.${core}`]);
      const memories = numasim.setup.memories(view).map((node) => [String(node), `node ${node}`]);
      row.append(
        picker("core", `node and core of ${words}`, cores, `${one.node}.${one.core}`, (value) => hands.moved(one, ...value.split(".").map(Number))),
        picker("access", `what ${words} does`, [["r", "reads"], ["w", "writes"]], one.access, (value) => hands.edited(one, { access: value })),
        picker("memory", `memory that ${words} uses`, memories, String(one.memory), (value) => hands.memory(one, Number(value))),
        speed(one, words, hands),
      );
    } else row.append(make("td", { class: "text", colspan: "4" }, "is no label"));
    const end = make("button", { type: "button", "data-control": "end", "aria-label": `end ${words}` }, "\u00d7");
    end.addEventListener("click", () => hands.ended(one));
    row.append(make("td", { class: "time" }), make("td", { class: "change" }), make("td", {}, end));
    return row;
  }

  function threads(body, setup, view, hands) {
    body.replaceChildren(...setup.threads.map((one) => threadRow(one, view, hands)));
  }

  // Times beside the threads: `texts` is the table of threads as the command line prints it, `now` and `before` by thread.
  function times(body, now, before) {
    for (const row of body.rows) {
      const [time, difference] = [row.querySelector(".time"), row.querySelector(".change")];
      const report = now && now.get(Number(row.dataset.thread));
      time.textContent = report ? report.text : "";
      time.title = report && report.ci_percent !== null ? `\u00b1 ${report.ci_percent.toFixed(2)} %, ${report.gb_per_s.toFixed(3)} GB/s` : "";
      changed(difference, change(report, before && before.get(Number(row.dataset.thread))));
    }
  }

  // -- where time goes --------------------------------------------------------------------------------------------------

  function breakdown(element, data) {
    if (!data) {
      element.replaceChildren(make("p", { class: "faint" }, "No line ended in the measured window."));
      return;
    }
    const totals = data.paths.map((_, path) => data.parts.reduce((sum, part) => sum + part.ns[path], 0));
    const longest = Math.max(...totals, 1e-9);
    const bars = data.paths.map((path, place) => {
      const bar = make("div", { class: "stack" });
      for (const part of data.parts) {
        if (!(part.ns[place] > 0)) continue;
        const words = `${part.words} (${part.group}): ${part.ns[place].toFixed(2)} ns`;
        const piece = make("span", { class: `piece ${part.group}`, "data-tip": words });
        piece.style.width = `${(100 * part.ns[place]) / longest}%`;
        piece.style.backgroundColor = part.colour;
        bar.append(piece);
      }
      return make("div", { class: "bar-row" }, make("span", { class: "bar-name" }, path.name), bar, make("span", { class: "bar-sum" }, `${totals[place].toFixed(1)} ns`));
    });
    const keys = data.parts.map((part) => {
      const swatch = make("i", { class: `piece ${part.group}` });
      swatch.style.backgroundColor = part.colour;
      return make("li", {}, swatch, ` ${part.words}`);
    });
    const rows = data.parts.map((part) => [part.words, part.group, ...part.ns.map((ns) => ns.toFixed(2))]);
    const numbers = table({ title: "ns of a line in a window slot", headers: ["part", "", ...data.paths.map((path) => path.name)], left: 2, rows, note: "" });
    element.replaceChildren(
      make("p", { class: "faint" }, "Blue is walking, orange is standing in a queue, violet is waiting for probes; for a thread with several lines in flight this is the time of one of them."),
      make("div", { class: "bars" }, ...bars),
      make("ul", { class: "keys" }, ...keys),
      make("details", {}, make("summary", {}, "As numbers"), numbers),
    );
  }

  // -- tables -----------------------------------------------------------------------------------------------------------

  function table(data) {
    const kind = (column) => (column < data.left ? { class: "text" } : {});
    const head = make("tr", {}, ...data.headers.map((text, column) => make("th", { ...kind(column), scope: "col" }, text)));
    const body = data.rows.map((row) => make("tr", {}, ...row.map((text, column) => make("td", kind(column), text))));
    const whole = make("table", {}, make("caption", {}, data.title), make("thead", {}, head), make("tbody", {}, ...body));
    const wrap = make("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": data.title }, whole);
    if (data.note) wrap.append(make("p", { class: "faint" }, data.note));
    return wrap;
  }

  // -- why --------------------------------------------------------------------------------------------------------------

  function effect(one) {
    if (!one) return ["", ""];
    if (one.faster_percent === null) return [one.verdict, ""];
    if (one.half_width_percent === 0 && !one.beyond_noise) return ["same", ""];
    const text = signed(one.faster_percent, 1);
    return [one.beyond_noise ? text : `(${text})`, one.half_width_percent === null ? "" : one.half_width_percent.toFixed(1)];
  }

  function gainRow(one, indent) {
    const used = Object.values(one.use);
    return [`${indent}${one.name}`, used.length ? (100 * Math.max(...used)).toFixed(0) : "", ...effect(one.ideal), ...effect(one.twice)];
  }

  function why(element, answer) {
    const report = JSON.parse(answer.document);
    const members = (one, all) => all.filter((it) => it.kinds.join() === one.kinds.join() && it.ideal.beyond_noise).map((it) => gainRow(it, "\u2003"));
    const rows = [
      ...report.resources.flatMap((one) => [gainRow(one, ""), ...members(one, report.members)]),
      ...report.pairs.flatMap((one) => [gainRow(one, ""), ...members(one, report.pair_members)]),
    ];
    const data = {
      title: "What the threads would gain, mean of the foreground: more lines in the same time",
      headers: ["made ideal", "used %", "faster %", "\u00b1", "twice as good %", "\u00b1"],
      left: 1,
      rows,
      note: `In brackets: not told from noise. All ${report.differences} differences hold at once in 95 % of explanations.`,
    };
    element.replaceChildren(
      make("p", {}, report.sentences.join(" ")),
      make("p", { class: "faint" }, make("code", {}, answer.command)),
      ...(rows.length ? [make("details", {}, make("summary", {}, "Each resource made ideal in turn"), table(data))] : []),
    );
  }

  return { make, threads, times, breakdown, table, headline, why, options };
})();
