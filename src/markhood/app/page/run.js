// An analysis: its progress, and then the answer with everything to take away.
import { follow, get, post, remove, state } from "./api.js";
import { choicesFor, fromRows, keep } from "./choices.js";
import { button, copyButton, download, duration, h, select, fill } from "./dom.js";
import { COLUMNS, PHASES } from "./words.js";

export async function runView(main, [id], signal) {
  const first = await get(`jobs/${id}`);
  let shown = null;
  const update = (job) => {
    if (signal.aborted) return;
    if (job.result?.headline) {
      const version = JSON.stringify([job.status, job.result]);
      if (version !== shown) result(main, job);
      shown = version;
    } else if (job.status === "running") progress(main, job);
    else ended(main, job);
  };
  update(first);
  if (first.status === "running") follow(id, signal, update);
}

function progress(main, job) {
  const bar = main.querySelector("#progress");
  const phase = job.progress ? (PHASES[job.progress.phase] ?? job.progress.phase) : "Reading the table";
  const left =
    job.seconds_left === null || job.seconds < 2
      ? ""
      : `, about ${duration(job.seconds_left)} left in this step`;
  const text = `${duration(Math.max(job.seconds, 1))} so far${left}`;
  if (!bar) {
    fill(
      main,
      h("h1", {}, "Working…"),
      h(
        "div",
        { class: "card working" },
        h("p", { id: "phase", role: "status" }),
        h("progress", { id: "progress", max: 1, "aria-label": "Progress" }),
        h("p", { id: "times", class: "quiet" }),
        h(
          "div",
          { class: "next" },
          button("Cancel", () => post(`jobs/${job.id}/cancel`)),
        ),
      ),
      h(
        "p",
        { class: "quiet" },
        "You can close this tab: the work continues, and the start page lists its result.",
      ),
    );
    return progress(main, job);
  }
  const step = main.querySelector("#phase");
  if (step.textContent !== phase) step.textContent = phase;
  main.querySelector("#times").textContent = text;
  if (job.progress?.done) bar.value = job.progress.done / job.progress.total;
  else bar.removeAttribute("value");
}

function ended(main, job) {
  const back = h(
    "p",
    { class: "next" },
    job.table && h("a", { class: "primary", href: `#/ask/${job.table}` }, "Back to the question"),
    job.table && h("a", { href: `#/table/${job.table}` }, "Back to the table"),
    !job.table && h("a", { href: "#/ask/none" }, "Back to the question"),
  );
  const title = job.status === "cancelled" ? "Cancelled" : "That did not work";
  fill(
    main,
    h("h1", {}, title),
    job.error && h("p", { class: "message", role: "alert" }, job.error),
    notes(job),
    back,
  );
}

function notes(job) {
  if (!job.warnings.length) return "";
  return h(
    "details",
    { class: "card", open: job.status === "failed" },
    h(
      "summary",
      {},
      `${job.warnings.length} remark${job.warnings.length === 1 ? "" : "s"} about the data and the result`,
    ),
    h(
      "ul",
      {},
      job.warnings.map((text) => h("li", {}, text)),
    ),
  );
}

function result(main, job) {
  const { result: found } = job;
  const path = `api/jobs/${job.id}`;
  const selected = main.querySelector("[role=tab][aria-selected=true]")?.id;
  const panels = [
    ["report", found.reports[0]?.title, found.reports.length && reports(found, path)],
    ["figures", "Figures", found.figures.length && figures(found, path)],
    ["tables", "Tables", found.tables.length && tables(found, path)],
    ["take", "Take away", takeAway(job, path)],
  ].filter(([, , content]) => content);
  const frames = new Map([...main.querySelectorAll("iframe")].map((one) => [one.getAttribute("src"), one]));
  const bar = h(
    "div",
    { class: "next" },
    job.table && h("a", { class: "primary", href: `#/ask/${job.table}` }, "Ask another question"),
    job.status === "done" &&
      h("a", { class: "as-button", href: `${path}/saved`, download: true }, "Save this analysis"),
    compareWith(job),
    !job.table && button("Use these settings with a table", () => reuse(job)),
  );
  const panelArea = h("div", { class: "panels" });
  if (frames.size && panels[0][0] === "report") {
    // Keep the frame: moving it would reload the report.
    main.querySelector(".answer").replaceWith(answer(job, found));
    fill(main.querySelector(".actions"), bar);
    tabs(main.querySelector(".tabs"), main.querySelector(".panels"), panels, selected, true);
    return;
  }
  fill(
    main,
    answer(job, found),
    h("div", { class: "actions" }, bar),
    h("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the result" }),
    panelArea,
  );
  tabs(main.querySelector(".tabs"), panelArea, panels, selected, false);
}

function answer(job, found) {
  return h(
    "div",
    { class: "answer" },
    h("p", { class: "quiet over" }, found.title),
    h("h1", {}, found.headline),
    found.sentences.map((text) => h("p", {}, text)),
    notes(job),
    job.status === "running" &&
      h("p", { class: "quiet", role: "status" }, "Figures and further tables follow in a moment…"),
  );
}

function tabs(list, area, panels, selected, keepsFirst) {
  const choose = (id, focuses) => {
    for (const tab of list.children) {
      const isOn = tab.id === id;
      tab.setAttribute("aria-selected", isOn);
      tab.tabIndex = isOn ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !isOn;
      if (isOn && focuses) tab.focus();
    }
  };
  const step = (event) => {
    const all = [...list.children];
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(all[(to + all.length) % all.length].id, true);
  };
  const had = document.activeElement?.id;
  fill(
    list,
    ...panels.map(([name, label]) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": `panel-${name}`,
          onclick: () => choose(`tab-${name}`),
          onkeydown: step,
        },
        label,
      ),
    ),
  );
  for (const old of [...area.children]) if (!keepsFirst || old.id !== "panel-report") old.remove();
  for (const [name, , content] of panels) {
    if (keepsFirst && name === "report") continue;
    area.append(
      h(
        "div",
        {
          role: "tabpanel",
          id: `panel-${name}`,
          "aria-labelledby": `tab-${name}`,
          tabindex: name === "report" ? null : 0,
        },
        content,
      ),
    );
  }
  choose(selected ?? `tab-${panels[0][0]}`);
  if (had) document.getElementById(had)?.focus();
}

export function frame(path, one) {
  return h("iframe", {
    src: `${path}/files/${one.file}`,
    title: `Report: ${one.title}`,
    sandbox: "allow-scripts allow-downloads allow-modals",
    allow: "fullscreen",
  });
}

function reports(found, path) {
  const [one] = found.reports;
  const link = h("a", { href: `${path}/files/${one.file}?download`, download: true }, "Download the report");
  return h("div", {}, frame(path, one), h("p", { class: "quiet" }, link, " (a page that works offline)"));
}

function tables(found, path) {
  const link = (one) =>
    h(
      "p",
      {},
      h("a", { href: `${path}/files/${one.file}?download`, download: true }, `Download ${one.file}`),
      h("span", { class: "quiet" }, ` ${one.rows.length ? "" : `${one.title}, `}${one.total} rows`),
    );
  const [long, short] = [
    found.tables.filter((one) => one.rows.length),
    found.tables.filter((one) => !one.rows.length),
  ];
  return [
    ...long.map((one) => h("section", { class: "card" }, h("h2", {}, one.title), grid(one.rows), link(one))),
    short.length > 0 && h("section", { class: "card" }, h("h2", {}, "More tables"), short.map(link)),
  ];
}

function grid(rows) {
  const names = Object.keys(rows[0]);
  const isNumber = Object.fromEntries(
    names.map((name) => [name, rows.every((row) => typeof row[name] === "number")]),
  );
  const kind = (name) => ({ class: isNumber[name] ? "number" : "" });
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name) =>
            h("th", { scope: "col", ...kind(name) }, COLUMNS[name] ?? name.replaceAll("_", " ")),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            names.map((name) => h("td", kind(name), cell(name, row[name]))),
          ),
        ),
      ),
    ),
  );
}

function cell(name, value) {
  if (typeof value !== "number") return String(value);
  if (name === "frequency") return `${Math.round(100 * value)} %`;
  if (name === "in_graph") return value ? "yes" : "no";
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}

function figures(found, path) {
  return found.figures.map((one) =>
    h(
      "figure",
      { class: "card" },
      h("figcaption", {}, h("h2", {}, one.title)),
      h("img", { src: `${path}/files/${one.others[0]}`, alt: one.title }),
      h(
        "p",
        {},
        [one.file, ...one.others].map((name) => [
          h(
            "a",
            { href: `${path}/files/${name}?download`, download: true },
            `Download ${name.split(".").at(-1).toUpperCase()}`,
          ),
          " ",
        ]),
      ),
    ),
  );
}

function takeAway(job, path) {
  const { result: found } = job;
  const text = (title, help, content, name, isProse) =>
    content &&
    h(
      "section",
      { class: "card" },
      h("h2", {}, title),
      h("p", { class: "quiet" }, help),
      isProse ? h("p", { class: "prose" }, content) : h("pre", { tabindex: 0, "aria-label": title }, content),
      h(
        "div",
        { class: "next" },
        copyButton(content),
        name && button(`Download ${name}`, () => download(name, `${content}\n`)),
      ),
    );
  const area = h(
    "div",
    {},
    text(
      "Methods paragraph",
      "For the methods section of a publication.",
      found.paragraph,
      "methods.txt",
      true,
    ),
  );
  get(`jobs/${job.id}/recipe`).then(({ command, python }) => {
    area.append(
      ...[
        text(
          "The same on the command line",
          found.others.some((one) => one.file === "codebook.csv")
            ? "Download codebook.csv below, and put it next to the table."
            : "Run it in the folder of the table.",
          command,
        ),
        text("The same in Python", "Run it in the folder of the table.", python),
        files(found, path, job),
      ].filter(Boolean),
    );
  });
  return area;
}

function files(found, path, job) {
  const all = [
    ...found.reports,
    ...found.tables,
    ...found.figures.flatMap((one) => [one, ...one.others.map((file) => ({ file, title: one.title }))]),
    ...found.others,
  ];
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Files"),
    h(
      "ul",
      { class: "plain-list" },
      all.map((one) =>
        h(
          "li",
          {},
          h("a", { href: `${path}/files/${one.file}?download`, download: true }, one.file),
          h("span", { class: "quiet" }, ` ${one.title}`),
        ),
      ),
    ),
    job.status === "done" &&
      h(
        "p",
        {},
        h("a", { href: `${path}/saved`, download: true }, "Save this analysis"),
        h(
          "span",
          { class: "quiet" },
          " with its settings and results, to open it here again. The data are not included.",
        ),
      ),
  );
}

function compareWith(job) {
  const area = h("span");
  if (!job.result.others.some((one) => one.file === "graph.json")) return area;
  state().then((known) => {
    const others = known.analyses.filter(
      (one) => one.id !== job.id && one.status === "done" && one.has_graph,
    );
    if (!others.length) return;
    const options = [
      ["", "Compare with…"],
      ...others.map((one) => [one.id, `${one.title}: ${one.headline}`]),
    ];
    area.append(
      select(options, "", (other) => other && (location.hash = `#/compare/${job.id}/${other}`), {
        "aria-label": "Compare with another result",
      }),
    );
  });
  return area;
}

// Keep the settings of an analysis for the next table that is opened.
function reuse(job) {
  const { title, question, method, settings, codebook } = job;
  sessionStorage.setItem("settings", JSON.stringify({ title, question, method, settings, codebook }));
  location.hash = "#/";
}
