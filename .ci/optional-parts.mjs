// Records which test files ask for an optional part (Chromium, JAX, an XLA plugin), so that the second pass of .ci/run
// repeats only those without the optional parts. Every process of the first pass preloads this module, worker threads too.
//
// .ci/run passes the location of a part as OPTIONAL_NAME. This module answers reads of NAME with it, and appends the test
// file that reads it (PLIANT_TEST_FILE, set by vitest.optional-parts.ts) to the file PLIANT_OPTIONAL_LOG. A copy of all
// variables, or another process, cannot get the location without being recorded.
import { appendFileSync } from "node:fs";

const optional = ["CHROMIUM", "PLIANT_JAX_PYTHON", "PLIANT_PJRT_PLUGIN"];
const environment = process.env;
const { PLIANT_OPTIONAL_LOG: log } = environment;

/** The test files that this process has recorded. */
const recorded = new Set();
globalThis.pliantOptionalLog = recorded;

/** The variable that holds the value of `name`; recorded if it is an optional part. */
function variableOf(name) {
  if (!optional.includes(name)) return name;
  const { PLIANT_TEST_FILE: file } = environment;
  if (file && !recorded.has(file)) {
    recorded.add(file);
    appendFileSync(log, `${file}\n`);
  }
  // A test may set the variable itself.
  return name in environment ? name : `OPTIONAL_${name}`;
}

if (log)
  process.env = new Proxy(environment, {
    get: (_, name) => environment[variableOf(name)],
    has: (_, name) => variableOf(name) in environment,
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(environment, variableOf(name)),
    deleteProperty: (_, name) =>
      Reflect.deleteProperty(environment, name) && Reflect.deleteProperty(environment, variableOf(name)),
    // Writes go to the real environment, where native code reads them.
    set: (_, name, value) => Reflect.set(environment, name, value),
  });
