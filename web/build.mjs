// Build the script of the report, and the licence notices of its packages.
import { build } from "esbuild";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const OUTPUT = "../src/markhood/output/report";

const { metafile } = await build({
  entryPoints: ["src/main.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "ascii", // the page may be opened with any encoding
  legalComments: "none", // the notices are in a file of their own
  metafile: true,
  outfile: `${OUTPUT}/bundle.js`,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
  if (found) packages.add(found[1]);
}

const notices = [];
for (const name of [...packages].sort()) {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = (await readFile(join(folder, file), "utf8")).replace(/\r/g, "").trim();
  notices.push(`${name} ${version} (${license})\n\n${text}\n`);
}
const title = "bundle.js contains the following packages.\n";
await writeFile(`${OUTPUT}/LICENSES.txt`, [title, ...notices].join(`\n${"-".repeat(72)}\n\n`));
