// npm run bench -- NAME [options]: runs one benchmark.
import { existsSync } from "node:fs";

const [name, ...rest] = process.argv.slice(2);
/** Where each benchmark lives: a package, and a folder where that has several. */
const folders = {
  engine: ["engine"],
  solver: ["core"],
  answers: ["core", "answers"],
  truth: ["cli", "truth"],
  fairness: ["cli", "fairness"],
  decisions: ["cli", "decisions"],
  kills: ["cli", "kills"],
  migrating: ["cli", "migrating"],
  tables: ["cli", "tables"],
  invariance: ["lab"],
  federated: ["federated"],
  federation: ["federation"],
  studio: ["studio"],
};
const [home, ...room] = folders[name] ?? [];
const main = new URL(`./packages/${[home, "bench/dist", ...room].join("/")}/main.js`, import.meta.url);
if (!(name in folders) || !existsSync(main)) {
  console.error(`Which benchmark? npm run bench -- ${Object.keys(folders).join(" | ")} [options]`);
  process.exit(2);
}
process.argv.splice(2, process.argv.length, ...rest);
await import(main.href);
