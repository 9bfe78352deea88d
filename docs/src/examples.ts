// Examples of exports with the output of each: docs/examples.yaml. A test runs them; the API pages show them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { home } from "./place.js";

export interface Example {
  /** An expression whose value is printed, or a program that prints. */
  readonly code: string;
  readonly prints: string;
}

interface Listed {
  /** Expressions over tensors. */
  readonly "pliant/engine": Readonly<Record<string, readonly [code: string, prints: string]>>;
  /** Programs. Those that mention `problem` start with `shared`. */
  readonly pliant: { readonly shared: string } & Readonly<Record<string, Example | string>>;
}

const listed: Listed = parse(readFileSync(join(home, "examples.yaml"), "utf8"));
const { shared, ...programs } = listed.pliant;

const uses = (code: string, name: string): boolean => new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(code);

/** Types are imported as such, so that a file runs by stripping its types. */
const imported = (name: string): string => (/^[A-Z](?!.*Error$)/.test(name) ? `type ${name}` : name);
const fromEngine = ["array", "constant", "evaluate", "mapTree", "NdArray", "Stored", "Tensor"];

/** A whole program: its imports, the problem it shares with others, and its own lines. */
function programOf({ code, prints }: Example): Example {
  const body = uses(code, "problem") ? `${shared}\n${code}` : code;
  const line = (names: readonly string[], entry: string): string => {
    const found = names.filter((name) => uses(body, name)).map(imported);
    return found.length > 0 ? `import { ${found.join(", ")} } from "${entry}";\n` : "";
  };
  const imports = line(Object.keys(programs), "pliant") + line(fromEngine, "pliant/engine");
  return { code: `${imports}\n${body.trimEnd()}`, prints };
}

/** The examples of an entry, by the name of the export they show. */
export function examplesOf(entry: string): Readonly<Record<string, Example>> {
  if (entry === "pliant")
    return Object.fromEntries(
      Object.entries(programs).map(([name, example]) => [name, programOf(example as Example)]),
    );
  if (entry !== "pliant/engine") return {};
  return Object.fromEntries(
    Object.entries(listed[entry]).map(([name, [code, prints]]) => [name, { code, prints }]),
  );
}
