// The page: an address after "#" names what it shows, so that reloading and "back" work in every tab.
import { catalogue, post } from "./api.js";
import { askView } from "./ask.js";
import { compareView } from "./compare.js";
import { byId, h, fill } from "./dom.js";
import { homeView, receive } from "./home.js";
import { runView } from "./run.js";
import { tableView } from "./table.js";

const VIEWS = { "": homeView, table: tableView, ask: askView, run: runView, compare: compareView };
const STEPS = [
  ["table", "Table"],
  ["ask", "Question"],
  ["run", "Result"],
];
let leaving = new AbortController();
let isFirst = true;

async function route() {
  leaving.abort();
  leaving = new AbortController();
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/");
  const main = byId("main");
  const view = VIEWS[name];
  if (!view) {
    location.hash = "#/";
    return;
  }
  showSteps(name, parts);
  try {
    await view(main, parts.map(decodeURIComponent), leaving.signal);
  } catch (error) {
    fill(
      main,
      h("h1", {}, "That did not work"),
      h("p", { class: "message" }, error.message),
      h("p", {}, h("a", { href: "#/" }, "Start again")),
    );
  }
  document.title = `${main.querySelector("h1")?.textContent ?? ""} · markhood`;
  if (!isFirst) main.focus({ preventScroll: true });
  if (!isFirst) window.scrollTo(0, 0);
  isFirst = false;
  document.documentElement.dataset.ready = name || "home";
}

function showSteps(name, parts) {
  const at = STEPS.findIndex(([step]) => step === name || (step === "run" && name === "compare"));
  const items = STEPS.map(([step, label], k) => {
    const text = [h("span", { class: "number", "aria-hidden": "true" }, String(k + 1)), ` ${label}`];
    const isLink = k < at && at === 1 && parts[0] !== "none";
    return h(
      "li",
      { class: k < at ? "before" : "", "aria-current": k === at ? "step" : null },
      isLink ? h("a", { href: `#/${step}/${parts[0]}` }, text) : text,
    );
  });
  fill(byId("steps"), items);
  byId("steps").hidden = at < 0;
}

byId("quit").addEventListener("click", async () => {
  if (!confirm("End markhood? Tables and results that you have not saved are removed.")) return;
  await post("quit");
  leaving.abort();
  fill(byId("main"), h("h1", {}, "markhood has ended"), h("p", {}, "You can close this tab."));
  byId("quit").disabled = true;
});

for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) receive([...event.dataTransfer.files]);
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});

window.addEventListener("hashchange", route);
await catalogue().catch(() => {});
route();
