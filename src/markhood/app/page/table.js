// The table as it was understood: role, kind and values of every column, which can be changed.
import { catalogue, get, state, work } from "./api.js";
import { choicesFor, keep, taskFor } from "./choices.js";
import { announce, button, download, duration, h, select, fill, whole } from "./dom.js";
import { KINDS, MISSING, ROLES } from "./words.js";

const MANY = 12; // columns, above which there is a search
const BARS = 12;
const FIELDS = ["column", "role", "kind", "levels", "missing", "text", "group", "why"];

export async function tableView(main, [table], signal) {
  const known = await state();
  const name = known.tables.find((one) => one.id === table)?.name;
  if (!name) throw new Error("This table has been removed. Open it again.");
  const choices = choicesFor(table);
  const settings = (await get("settings?question=learn&method=plrhc")).settings;
  const missing = settings.find((one) => one.name === "missing");
  let described = null;
  let search = "";
  let pending = new AbortController();
  signal.addEventListener("abort", () => pending.abort());

  const changed = (column, changes) => {
    const own = { ...choices.codebook[column], ...changes };
    const before = described.codebook.find((row) => row.column === column);
    if (!("role" in changes) && before.role === "skip" && !own.role) own.role = "node";
    choices.codebook[column] = own;
    read();
  };
  const reset = (column) => {
    delete choices.codebook[column];
    read();
  };
  const set = (setting, value, normal) => {
    if (value === normal) delete choices.settings[setting];
    else choices.settings[setting] = value;
    read();
  };

  const message = h("p", { class: "message", role: "alert", hidden: true });
  const body = h("div", { class: "columns-body" });
  const facts = h("p", { class: "lead" }, "Reading the table…");
  const findings = h("div");
  const tools = h("div", { class: "tools" });
  const end = h("div", { class: "next sticky" });
  fill(main, h("h1", {}, name), facts, message, findings, tools, body, end);
  await read();

  async function read() {
    keep(table, choices);
    pending.abort();
    const mine = (pending = new AbortController());
    main.setAttribute("aria-busy", "true");
    const task = taskFor("describe", table, { ...choices, question: "learn", settings: ofReading() });
    const job = await work(task, mine.signal, (update) => {
      if (!described && update.seconds > 3)
        facts.textContent = `Reading the table… ${duration(update.seconds)}`;
    });
    if (!job || mine.signal.aborted) return;
    main.removeAttribute("aria-busy");
    message.hidden = job.status === "done";
    if (job.status !== "done") {
      message.textContent = job.error;
      if (!described) facts.textContent = "";
      render();
      return;
    }
    described = job.result;
    render();
    announce(`${described.variables} of ${described.columns} columns are in the network.`);
  }

  function ofReading() {
    return Object.fromEntries(
      Object.entries(choices.settings).filter(([one]) =>
        settings.some((s) => s.name === one && ["columns", "table", "genome"].includes(s.group)),
      ),
    );
  }

  function render() {
    const focus = document.activeElement?.dataset?.key;
    if (described) {
      facts.textContent = `${whole(described.rows)} rows and ${whole(described.columns)} columns. This is how markhood understands them; correct them where needed.`;
      fill(findings, notes(described.findings));
      fill(tools, ...toolbar());
      fill(body, columns());
    }
    fill(
      end,
      ...(described
        ? [
            h("a", { class: "primary", href: `#/ask/${table}` }, "Continue"),
            button("Download the codebook", () =>
              download("codebook.csv", asCsv(described.codebook), "text/csv"),
            ),
          ]
        : []),
      h("a", { href: "#/" }, "Open another table"),
    );
    if (focus) main.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  function toolbar() {
    const codes = h("input", {
      id: "codes",
      "data-key": "codes",
      value: choices.settings.missing_values ?? "",
      placeholder: "found automatically",
      size: 16,
      onchange: () => set("missing_values", codes.value.trim(), ""),
    });
    const labelled = (id, label, input) => h("span", {}, h("label", { for: id }, label), input);
    const parts = [
      labelled("codes", "Values that mean “missing”", codes),
      labelled(
        "gaps",
        "Missing values",
        select(
          missing.choices.map((one) => [one, MISSING[one] ?? one]),
          choices.settings.missing ?? missing.default,
          (value) => set("missing", value, missing.default),
          { id: "gaps", "data-key": "gaps" },
        ),
      ),
    ];
    if (described.columns > MANY) {
      const find = h("input", {
        id: "find",
        type: "search",
        "data-key": "find",
        value: search,
        oninput: () => ((search = find.value), fill(body, columns())),
      });
      const roles = ["node", "covariate", "skip"].map((role) => [role, ROLES[role]]);
      parts.push(
        labelled("find", "Find a column", find),
        labelled(
          "all",
          "All columns shown",
          select([["", "…"], ...roles], "", (role) => role && setAll(role), { id: "all", "data-key": "all" }),
        ),
      );
    }
    return parts;
  }

  function matching() {
    const wanted = search.toLowerCase();
    return described.codebook.filter((row) =>
      `${row.column} ${row.text} ${row.group}`.toLowerCase().includes(wanted),
    );
  }

  function setAll(role) {
    for (const row of matching()) choices.codebook[row.column] = { ...choices.codebook[row.column], role };
    read();
  }

  function columns() {
    const rows = matching();
    const more = described.columns - described.codebook.length;
    return h(
      "div",
      {},
      h(
        "table",
        { class: "codebook" },
        h("caption", { class: "unseen" }, "Columns of the table"),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Column", "Values", "Use", "Type", "Missing", "Why"].map((text) =>
              h("th", { scope: "col" }, text),
            ),
          ),
        ),
        h("tbody", {}, rows.map(column)),
      ),
      more > 0 && h("p", { class: "quiet" }, `${whole(more)} more columns are not listed.`),
    );
  }

  function column(row) {
    const own = choices.codebook[row.column];
    const kinds = known.kinds.includes(row.kind) ? known.kinds : [row.kind, ...known.kinds];
    const label = (what) => `${what} of ${row.column}`;
    return h(
      "tr",
      { class: row.role === "skip" ? "skipped" : "" },
      h(
        "th",
        { scope: "row" },
        row.column,
        row.text && h("span", { class: "quiet" }, row.text),
        own &&
          h(
            "span",
            { class: "changed" },
            "changed ",
            button("Undo", () => reset(row.column), {
              class: "link",
              "aria-label": `Undo the changes of ${row.column}`,
            }),
          ),
      ),
      h("td", { class: "values", "data-label": "Values" }, values(row)),
      h(
        "td",
        { "data-label": "Use" },
        select(
          known.roles.map((role) => [role, ROLES[role] ?? role]),
          row.role,
          (role) => changed(row.column, { role }),
          { "aria-label": label("Use"), "data-key": `role-${row.column}` },
        ),
      ),
      h(
        "td",
        { "data-label": "Type" },
        select(
          kinds.map((kind) => [kind, KINDS[kind] ?? kind]),
          row.kind,
          (kind) => changed(row.column, { kind }),
          { "aria-label": label("Type"), "data-key": `kind-${row.column}` },
        ),
      ),
      h("td", { class: "number", "data-label": "Missing" }, row.missing ? whole(row.missing) : ""),
      h("td", { class: "quiet", "data-label": "Why" }, row.why),
    );
  }

  function values(row) {
    if (row.levels.length < 2) return "";
    const bars = h("span", { class: "bars", "aria-hidden": "true" });
    const most = Math.max(...row.shares, 0.0001);
    for (const [k, share] of row.shares.slice(0, 40).entries()) {
      const bar = h("span", { title: `${row.levels[k]}: ${(100 * share).toFixed(1)} %` });
      bar.style.height = `${Math.max(4, (100 * share) / most)}%`;
      bars.append(bar);
    }
    const levels = row.levels;
    const text = levels.length > 3 ? `${levels[0]} … ${levels.at(-1)}` : levels.join(", ");
    const canOrder = levels.length > 1 && !["measurement", "count"].includes(row.kind);
    return h(
      "div",
      { class: "levels" },
      bars,
      canOrder
        ? button(text, () => order(row), {
            class: "link",
            "aria-label": `Values of ${row.column}: ${text}. Change their order`,
            "data-key": `levels-${row.column}`,
          })
        : h("span", {}, text),
    );
  }

  // A dialog to put the values in order, or to mark values that mean missing.
  function order(row) {
    let levels = [...row.levels];
    const gaps = new Set();
    const list = h("ol", { class: "order" });
    const dialog = h(
      "dialog",
      { "aria-labelledby": "order-title" },
      h("h2", { id: "order-title" }, `Values of ${row.column}`),
      h("p", { class: "quiet" }, "From the lowest to the highest. The order matters for ordered answers."),
      list,
      h(
        "div",
        { class: "next" },
        button(
          "Save",
          () => {
            const own = levels.filter((level) => !gaps.has(level));
            dialog.close();
            if (gaps.size) {
              const before = choices.settings.missing_values
                ? choices.settings.missing_values.split(",")
                : [];
              choices.settings.missing_values = [...new Set([...before, ...gaps])].join(",");
            }
            const isMoved = own.some((level, k) => level !== row.levels.filter((one) => !gaps.has(one))[k]);
            if (isMoved)
              changed(row.column, {
                levels: own,
                kind: row.kind === "binary" || row.kind === "nominal" ? "ordinal" : row.kind,
              });
            else if (gaps.size) read();
          },
          { class: "primary" },
        ),
        button("Reverse", () => (levels.reverse(), refill())),
        button("Cancel", () => dialog.close()),
      ),
    );
    const move = (k, by) => {
      [levels[k], levels[k + by]] = [levels[k + by], levels[k]];
      refill();
      list.querySelector(`[data-move="${by}"][data-at="${k + by}"]:enabled`)?.focus();
    };
    const refill = () =>
      fill(
        list,
        ...levels.map((level, k) =>
          h(
            "li",
            {},
            h("span", { class: "level" }, level),
            button("↑", () => move(k, -1), {
              disabled: k === 0,
              "aria-label": `Move ${level} up`,
              "data-move": -1,
              "data-at": k,
            }),
            button("↓", () => move(k, 1), {
              disabled: k === levels.length - 1,
              "aria-label": `Move ${level} down`,
              "data-move": 1,
              "data-at": k,
            }),
            h(
              "label",
              {},
              h("input", {
                type: "checkbox",
                checked: gaps.has(level),
                onchange: (event) => (event.target.checked ? gaps.add(level) : gaps.delete(level)),
              }),
              " means missing",
            ),
          ),
        ),
      );
    refill();
    dialog.addEventListener("close", () => {
      dialog.remove();
      main.querySelector(`[data-key="${CSS.escape(`levels-${row.column}`)}"]`)?.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  }
}

function notes(findings) {
  if (!findings.length) return "";
  const list = h(
    "ul",
    {},
    findings.map((one) => h("li", {}, one.text)),
  );
  return h(
    "details",
    { class: "card" },
    h("summary", {}, `${findings.length} remark${findings.length === 1 ? "" : "s"} about the table`),
    list,
  );
}

function asCsv(rows) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (row) =>
    FIELDS.map((name) => cell(String(name === "levels" ? row.levels.join(" | ") : row[name]))).join(",");
  return `${FIELDS.join(",")}\n${rows.map(line).join("\n")}\n`;
}
