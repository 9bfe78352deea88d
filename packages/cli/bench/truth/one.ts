// One case, drawn, from standard input; its result on standard output. The process is killed where it takes too long.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Drawn, judged } from "./result.js";

const drawn = JSON.parse(await text(process.stdin)) as Drawn;
const folder = mkdtempSync(join(tmpdir(), "pliant-truth-"));
try {
  console.log(JSON.stringify(await judged(drawn, folder)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
