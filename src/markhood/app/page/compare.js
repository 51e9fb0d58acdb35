// Two results side by side, and a page that compares their networks.
import { follow, get, post, state } from "./api.js";
import { h, select, fill } from "./dom.js";
import { frame } from "./run.js";

const SIDES = ["First result", "Second result"];

export async function compareView(main, ids, signal) {
  const known = await state();
  const jobs = await Promise.all(ids.map((id) => get(`jobs/${id}`)));
  const options = known.analyses
    .filter((one) => one.status === "done" && one.has_graph)
    .map((one, k) => [one.id, `${k + 1}. ${one.title}: ${one.headline}`]);
  const choose = (at) =>
    select(options, ids[at], (id) => (location.hash = `#/compare/${ids.with(at, id).join("/")}`), {
      "aria-label": SIDES[at],
    });
  const both = h("div", {}, h("p", { class: "quiet", role: "status" }, "Comparing the networks…"));
  const sides = jobs.map((job, at) =>
    h(
      "section",
      { "aria-label": SIDES[at] },
      choose(at),
      h("h2", {}, job.result.headline),
      settings(job),
      frame(`api/jobs/${job.id}`, job.result.reports[0]),
      h("p", {}, h("a", { href: `#/run/${job.id}` }, "Open this result")),
    ),
  );
  fill(
    main,
    h("h1", {}, "Two results side by side"),
    h("div", { class: "frames" }, sides),
    h("h2", {}, "Both networks in one"),
    both,
  );
  const started = await post(`jobs/${ids[0]}/with/${ids[1]}`);
  follow(started.id, signal, null, true).then((done) => {
    if (done)
      fill(
        both,
        done.result
          ? frame(`api/jobs/${done.id}`, done.result.reports[0])
          : h("p", { class: "message" }, done.error),
      );
  });
}

function settings(job) {
  const changed = Object.entries(job.settings).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${value}`,
  );
  if (job.codebook.length) changed.push(`${job.codebook.length} columns changed`);
  return h(
    "p",
    { class: "quiet" },
    `method ${job.method}${changed.length ? `; ${changed.join("; ")}` : ", usual settings"}`,
  );
}
