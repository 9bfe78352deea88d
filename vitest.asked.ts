// Notes in the file named by PLIANT_ASKED every test file that could tell whether an optional part is there: one that
// reads a variable which names such a part, or hands all variables on to another process.
import { appendFileSync } from "node:fs";
import { expect } from "vitest";

const optional = ["CHROMIUM", "PLIANT_JAX_PYTHON", "PLIANT_PJRT_PLUGIN"];

/** The environment, by which `note` learns that an optional part was asked for. */
export function noting(environment: NodeJS.ProcessEnv, note: () => void): NodeJS.ProcessEnv {
  const noteOf = (name: string | symbol): void => {
    if (optional.includes(String(name))) note();
  };
  return new Proxy(environment, {
    get: (_, name) => {
      noteOf(name);
      return Reflect.get(environment, name);
    },
    has: (_, name) => {
      noteOf(name);
      return Reflect.has(environment, name);
    },
    ownKeys: () => {
      note();
      return Reflect.ownKeys(environment);
    },
    // Into the environment itself, where native code reads it.
    set: (_, name, value) => Reflect.set(environment, name, value),
  });
}

const list = process.env.PLIANT_ASKED;
if (list) {
  // Of all files of this process: what one of them was told others may go by.
  const whole = globalThis as { asked?: { environment: NodeJS.ProcessEnv; already: boolean } };
  whole.asked ??= { environment: process.env, already: false };
  const { asked } = whole;
  let noted = false;
  const note = (): void => {
    if (!noted) appendFileSync(list, `${expect.getState().testPath}\n`);
    noted = asked.already = true;
  };
  if (asked.already) note();
  process.env = noting(asked.environment, note);
}
