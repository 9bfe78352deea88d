// npm run docs: builds the site into docs/dist/site, or the folder that is named.
import { join, resolve } from "node:path";
import { buildSite } from "./build.js";
import { home } from "./place.js";

const out = resolve(process.argv[2] ?? join(home, "dist", "site"));
const start = performance.now();
const { pages } = await buildSite(out);
const took = ((performance.now() - start) / 1e3).toFixed(1);
console.log(`${pages} pages in ${took} s; open ${join(out, "index.html")}`);
