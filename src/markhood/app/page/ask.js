// The question, with a few settings in plain words; all others are in the advanced panel, which is
// made from the declarations that the server sends.
import { catalogue, get, post, upload, work } from "./api.js";
import { choicesFor, keep, known as knownTo, taskFor } from "./choices.js";
import { announce, button, duration, h, select, fill } from "./dom.js";
import { CHOICES, GROUPS, RUN } from "./words.js";

const PATIENCE = 500; // milliseconds before a forecast

export async function askView(main, [table], signal) {
  const known = await catalogue();
  const hasTable = table !== "none";
  const choices = choicesFor(table);
  const questions = known.questions.filter((one) => hasTable || !one.needs_table);
  if (!questions.some((one) => one.name === choices.question)) choices.question = questions[0].name;
  let listed = { settings: [], asked: {} };
  let columns = [];
  let forecasting = new AbortController();
  let timer = 0;
  signal.addEventListener("abort", () => (forecasting.abort(), clearTimeout(timer)));

  const cards = h(
    "fieldset",
    { class: "questions" },
    h("legend", { class: "unseen" }, "Question"),
    questions.map((one) =>
      h(
        "label",
        { class: "question" },
        h("input", {
          type: "radio",
          name: "question",
          value: one.name,
          checked: one.name === choices.question,
          onchange: () => ((choices.question = one.name), load()),
        }),
        h("span", {}, h("strong", {}, one.title), h("span", { class: "quiet" }, one.text)),
      ),
    ),
  );
  const asked = h("div", { class: "asked" });
  const advanced = h("details", { class: "card advanced" });
  const message = h("p", { class: "message", role: "alert", hidden: true });
  const forecast = h("p", { class: "forecast", role: "status" });
  const run = button("", start, { class: "primary" });
  const taskNow = (kind) =>
    taskFor(kind, hasTable ? table : null, {
      ...choices,
      settings: knownTo(choices.settings, listed.settings),
    });
  fill(
    main,
    h("h1", {}, "What do you want to know?"),
    cards,
    asked,
    advanced,
    message,
    h("div", { class: "next" }, run, hasTable && h("a", { href: `#/table/${table}` }, "Back to the table")),
    forecast,
  );
  const job = hasTable
    ? work({ ...taskFor("describe", table, { ...choices, question: "learn", settings: {} }) }, signal).catch(
        () => null,
      )
    : null;
  await load();
  job?.then((done) => {
    columns = (done?.result?.codebook ?? []).map((row) => row);
    if (columns.length) render();
  });

  async function load() {
    run.disabled = true; // the settings of the previous question do not apply
    const { question, method } = choices;
    const found = await get(`settings?question=${question}&method=${method}`);
    if (question !== choices.question || method !== choices.method) return;
    listed = found;
    run.disabled = false;
    render();
    estimate();
  }

  function render() {
    const focus = document.activeElement?.id;
    const first = listed.settings.filter(
      (one) =>
        one.name in listed.asked && (!hasTable || !listed.asked[one.name].includes("(without a table)")),
    );
    fill(
      asked,
      ...first.map((one) => field(one, listed.asked[one.name].replace(" (without a table)", ""), false)),
    );
    const rest = listed.settings.filter((one) => !first.includes(one));
    const isOpen = advanced.open;
    const open = new Set([...advanced.querySelectorAll("details[open]")].map((one) => one.dataset.group));
    const count = rest.filter((one) => one.name in choices.settings).length + (choices.method !== "plrhc");
    fill(
      advanced,
      h("summary", {}, `Advanced settings${count ? ` (${count} changed)` : ""}`),
      h(
        "p",
        { class: "quiet" },
        "Every setting of the command line, with its usual value. You rarely need them.",
      ),
      count > 0 && button("Reset all", () => ((choices.settings = {}), (choices.method = "plrhc"), load())),
      ...Object.entries(Object.groupBy ? Object.groupBy(rest, (one) => one.group) : grouped(rest)).map(
        ([group, own]) =>
          h(
            "details",
            { class: "group", "data-group": group, open: open.has(group) },
            h("summary", {}, GROUPS[group] ?? group),
            group === "method" && methods(),
            own.map((one) => field(one, one.label, true)),
          ),
      ),
    );
    advanced.open = isOpen;
    run.textContent = RUN[choices.question] ?? "Run";
    const again = focus ? document.getElementById(focus) : null;
    again?.focus();
    if (again?.value && again.select && again.type === "text")
      again.setSelectionRange(again.value.length, again.value.length);
  }

  function methods() {
    const options = [...known.methods]
      .sort((a, b) => (b.name === "plrhc") - (a.name === "plrhc"))
      .map((one) => [one.name, `${one.name}: ${one.text}`]);
    return h(
      "div",
      { class: "setting" },
      h("label", { for: "set-method" }, "method"),
      select(options, choices.method, (name) => ((choices.method = name), load()), { id: "set-method" }),
    );
  }

  function field(one, label, hasHelp) {
    const id = `set-${one.name}`;
    const value = choices.settings[one.name];
    const set = (text) => {
      if (text === "" || text === null) delete choices.settings[one.name];
      else choices.settings[one.name] = text;
      keep(table, choices);
      estimate();
    };
    const usual = one.default === null ? "" : String(one.default);
    const properties = { id, "aria-describedby": hasHelp ? `${id}-help` : null };
    let input;
    if (one.kind === "flag") {
      input = select(
        [
          ["", one.default === null ? "automatic" : one.default ? "yes (usual)" : "no (usual)"],
          ["true", "yes"],
          ["false", "no"],
        ],
        value === undefined ? "" : String(value),
        (text) => set(text === "" ? "" : text === "true"),
        properties,
      );
    } else if (one.kind === "choice") {
      input = select(
        one.choices.map((word) => [word, CHOICES[one.name]?.[word] ?? word]),
        value ?? one.default ?? "",
        (word) => set(word === one.default ? "" : word),
        properties,
      );
    } else if (one.kind === "column" && columns.length) {
      const named = columns.map((row) => [
        row.column,
        row.levels.length && row.levels.length <= 6 ? `${row.column} (${row.levels.join(", ")})` : row.column,
      ]);
      input = select([["", "Choose a column…"], ...named], value ?? "", set, properties);
    } else if (one.kind === "file") {
      input = h("input", {
        ...properties,
        type: "file",
        disabled: !hasTable,
        onchange: async (event) => set((await upload(`tables/${table}/files`, event.target.files[0])).name),
      });
    } else {
      input = h("input", {
        ...properties,
        value: value ?? "",
        placeholder: usual,
        inputmode: one.kind === "number" ? "decimal" : null,
        autocomplete: "off",
        spellcheck: "false",
        oninput: () => set(input.value.trim()),
      });
    }
    return h(
      "div",
      { class: `setting${value === undefined ? "" : " changed"}` },
      h("label", { for: id }, label),
      input,
      hasHelp && h("p", { id: `${id}-help`, class: "quiet" }, one.help),
    );
  }

  function estimate() {
    keep(table, choices);
    clearTimeout(timer);
    forecasting.abort();
    forecast.textContent = "";
    message.hidden = true;
    if (!hasTable) {
      forecast.textContent = "This usually takes a few seconds to a few minutes. You can cancel at any time.";
      return;
    }
    const mine = (forecasting = new AbortController());
    timer = setTimeout(async () => {
      forecast.textContent = "Estimating the time…";
      const job = await work(taskNow("forecast"), mine.signal).catch(() => null);
      if (mine.signal.aborted || !job) return;
      const seconds = job.result?.seconds;
      if (job.status === "failed") forecast.textContent = job.error;
      else if (seconds == null)
        forecast.textContent = "The time is not known in advance. You can cancel at any time.";
      else
        forecast.textContent = `Takes ${job.result.is_least ? "at least" : "about"} ${duration(seconds)} on this computer.`;
    }, PATIENCE);
  }

  async function start() {
    forecasting.abort();
    clearTimeout(timer);
    keep(table, choices);
    run.disabled = true;
    try {
      const started = await post("jobs", taskNow("answer"));
      location.hash = `#/run/${started.id}`;
    } catch (error) {
      [message.hidden, message.textContent, run.disabled] = [false, error.message, false];
      announce(error.message);
    }
  }
}

function grouped(settings) {
  const found = {};
  for (const one of settings) (found[one.group] ??= []).push(one);
  return found;
}
