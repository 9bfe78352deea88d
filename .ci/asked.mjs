// Which test files can tell whether an optional part is there. Every process of the first pass of .ci/run begins with this,
// worker threads too: where a part is, is said by no variable of its name but by TOLD_ and that name, and comes from here to
// whoever asks for it. So neither a copy of all variables nor another process has it without asking here.
//
// The test file on whose behalf a process runs is in PLIANT_ASKED_BY (vitest.asked.ts). It is noted in the file PLIANT_ASKED.
import { appendFileSync } from "node:fs";

const optional = ["CHROMIUM", "PLIANT_JAX_PYTHON", "PLIANT_PJRT_PLUGIN"];
const environment = process.env;
const { PLIANT_ASKED: list } = environment;

/** The test files that this process has noted. */
const noted = new Set();
globalThis.pliantAsked = noted;

/** Where what is told of a variable is kept: with the others, or, of an optional part, where no one else looks. */
function keptAt(name) {
  if (!optional.includes(name)) return name;
  const { PLIANT_ASKED_BY: by } = environment;
  if (by && !noted.has(by)) {
    noted.add(by);
    appendFileSync(list, `${by}\n`);
  }
  // What a test has set itself is a variable like any other.
  return name in environment ? name : `TOLD_${name}`;
}

if (list)
  process.env = new Proxy(environment, {
    get: (_, name) => environment[keptAt(name)],
    has: (_, name) => keptAt(name) in environment,
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(environment, keptAt(name)),
    deleteProperty: (_, name) =>
      Reflect.deleteProperty(environment, name) && Reflect.deleteProperty(environment, keptAt(name)),
    // Into the environment itself, where native code reads it.
    set: (_, name, value) => Reflect.set(environment, name, value),
  });
