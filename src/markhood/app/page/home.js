// The start: open a table, an example or a saved analysis, or plan a study.
import { post, remove, state, upload } from "./api.js";
import { keep, choicesFor, fromRows } from "./choices.js";
import { announce, button, byId, h, fill, whole } from "./dom.js";

const SAVED = ".markhood";
const PARTS = [".bim", ".fam"]; // read together with a .bed

export async function homeView(main) {
  const known = await state();
  const input = h("input", {
    id: "file",
    type: "file",
    multiple: true,
    class: "unseen",
    accept: [...known.endings, ...PARTS, SAVED].join(","),
    onchange: () => receive([...input.files]),
  });
  const pending = sessionStorage.getItem("settings");
  fill(
    main,
    h("h1", { class: "hero" }, "Which of your variables belong together?"),
    h(
      "p",
      { class: "lead" },
      "Open a table with one row for each person or case. You get a network of direct connections, how sure they are, and a page to publish.",
    ),
    pending &&
      h(
        "p",
        { class: "note" },
        `The settings of ${JSON.parse(pending).title} will be used for the next table. `,
        button("Forget them", () => (sessionStorage.removeItem("settings"), homeView(main))),
      ),
    h(
      "div",
      { class: "drop" },
      input,
      h("label", { for: "file", class: "primary" }, "Choose a file"),
      h("p", {}, "or drop it anywhere on this page"),
      h(
        "p",
        { class: "quiet" },
        "CSV, Excel, LibreOffice, SPSS, Stata, SAS, R, Parquet and others, or an analysis that you saved (",
        h("code", {}, SAVED),
        ")",
      ),
      h("progress", { id: "sent", max: 1, value: 0, hidden: true, "aria-label": "Sent" }),
    ),
    h("p", { id: "problem", class: "message", role: "alert", hidden: true }),
    h(
      "div",
      { class: "pair" },
      h(
        "section",
        { class: "card" },
        h("h2", {}, "Try an example"),
        h(
          "ul",
          { class: "plain-list" },
          known.examples.map((one) =>
            h(
              "li",
              {},
              button(one.title, () => example(one.name), { class: "link" }),
              h("span", { class: "quiet" }, ` ${whole(one.rows)} rows`),
            ),
          ),
        ),
      ),
      h(
        "section",
        { class: "card" },
        h("h2", {}, "No data yet?"),
        h("p", {}, "Find out how many people a study needs before you collect data."),
        h("p", {}, h("a", { href: "#/ask/none" }, "Plan a study")),
      ),
    ),
    known.tables.length + known.analyses.length > 0 && recent(known, () => homeView(main)),
  );
}

function recent(known, again) {
  const titles = Object.fromEntries(known.questions.map((one) => [one.name, one.title]));
  const tables = known.tables.map((one) =>
    h(
      "li",
      {},
      h("a", { href: `#/table/${one.id}` }, one.name),
      " ",
      button("Remove", async () => (await remove(`tables/${one.id}`), again()), {
        class: "small",
        "aria-label": `Remove ${one.name}`,
      }),
    ),
  );
  const analyses = known.analyses.map((one) =>
    h(
      "li",
      {},
      h("a", { href: `#/run/${one.id}` }, `${one.title}: ${one.headline || titles[one.question]}`),
      one.status === "running" ? h("span", { class: "quiet" }, " running") : "",
      " ",
      button("Remove", async () => (await remove(`jobs/${one.id}`), again()), {
        class: "small",
        "aria-label": `Remove the result ${one.title}`,
      }),
    ),
  );
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "In this session"),
    h("ul", { class: "plain-list" }, tables, analyses),
  );
}

async function example(name) {
  const { table } = await post(`examples/${name}`);
  location.hash = `#/table/${table}`;
}

// Send files that were chosen or dropped: a saved analysis, or a table with the files that belong to it.
export async function receive(files) {
  const problem = byId("problem");
  const bar = byId("sent");
  const table = files.find((file) => !PARTS.some((ending) => file.name.endsWith(ending))) ?? files[0];
  const onprogress = (share) => bar && ((bar.hidden = false), (bar.value = share));
  try {
    announce(`Opening ${table.name}.`);
    if (table.name.endsWith(SAVED)) {
      const job = await upload("saved", table, onprogress);
      location.hash = `#/run/${job.id}`;
      return;
    }
    const opened = await upload("tables", table, onprogress);
    for (const part of files.filter((file) => file !== table))
      await upload(`tables/${opened.table}/files`, part);
    const pending = sessionStorage.getItem("settings");
    if (pending) {
      const { question, method, settings, codebook } = JSON.parse(pending);
      keep(opened.table, {
        ...choicesFor(opened.table),
        question,
        method,
        settings,
        codebook: fromRows(codebook),
      });
      sessionStorage.removeItem("settings");
    }
    location.hash = `#/table/${opened.table}`;
  } catch (error) {
    if (bar) bar.hidden = true;
    if (problem) [problem.hidden, problem.textContent] = [false, error.message];
    else alert(error.message);
  }
}
