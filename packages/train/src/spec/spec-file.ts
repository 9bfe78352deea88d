// Reads a spec from YAML or JSON. Every mistake is one sentence with the file, the line and the key.

import { hint, InputError, unreadable } from "@pliant/core";
import { readFileSync } from "@pliant/platform";
import { type Document, isMap, isScalar, LineCounter, parseDocument, type YAMLError } from "yaml";
import { explain, type Path } from "./explain.js";
import { type Spec, specSchema } from "./spec.js";

/** A spec as it was read, which knows the line of every key for messages. */
export interface SpecFile {
  readonly path: string;
  readonly spec: Spec;
  /** The file as YAML, with what was set on the command line. */
  text(changes?: Readonly<Record<string, unknown>>): string;
  /** The same file with more set. */
  with(more: readonly Setting[]): SpecFile;
  /** A mistake about a value: where it stands, then the sentence. */
  mistake(path: Path, sentence: string): InputError;
}

/** A value set over what a spec has, as `--set KEY=VALUE` does. */
export interface Setting {
  /** As on the command line: `requirements.x.level`. */
  readonly key: string;
  /** As YAML writes it; undefined takes the key away. */
  readonly value: string | undefined;
  /** The option it came from; default: --set. */
  readonly said?: string;
}

const optionOf = ({ key, value, said }: Setting): string => said ?? `--set ${key}=${value}`;

/** Reads a spec from YAML or JSON; a mistake is one sentence with its line and, where a name is nearly right, that name. */
export function readSpec(path: string, settings: readonly Setting[] = []): SpecFile {
  const lines = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: lines, prettyErrors: false });
  const lineOf = (offset: number): number => lines.linePos(offset).line;
  const [broken] = document.errors;
  if (broken) throw new InputError(`${path}, line ${lineOf(broken.pos[0])}: ${yamlSentence(broken)}`);
  if (!isMap(document.contents))
    throw new InputError(
      `${path}: a spec is a list of keys (data, model, requirements, …), and this file holds none.`,
    );
  const set = new Map<string, string>();
  for (const setting of settings) {
    const keys = applySetting(document, setting);
    set.set(JSON.stringify(keys), optionOf(setting));
  }

  /** The file and line of a value, of the nearest one around it that the file has, or the option that set it. */
  const placeOf = (keys: Path): string => {
    for (let length = keys.length; length > 0; length--) {
      const outer = keys.slice(0, length);
      const option = set.get(JSON.stringify(outer));
      if (option !== undefined) return option;
      const offset = offsetOf(document, outer);
      if (offset !== undefined) return `${path}, line ${lineOf(offset)}`;
    }
    return path;
  };
  const mistake = (keys: Path, sentence: string): InputError =>
    new InputError(`${placeOf(keys)}: ${sentence}`);

  const parsed = specSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const [{ keys, sentence }] = parsed.error.issues
      .flatMap((issue) => explain(issue, document.toJS()))
      .sort((a, b) => Number(b.misspelt) - Number(a.misspelt));
    throw mistake(keys, sentence);
  }
  return {
    path,
    spec: parsed.data,
    mistake,
    with: (more) => readSpec(path, [...settings, ...more]),
    text: (changes = {}) => {
      const copy = document.clone();
      for (const [key, value] of Object.entries(changes)) copy.setIn(keysOf(document, key), value);
      return copy.toString({ lineWidth: 0 });
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (reason) {
    throw unreadable(path, reason);
  }
}

const yamlSentence = ({ code, message }: YAMLError): string =>
  code === "DUPLICATE_KEY"
    ? "a key stands here for the second time; leave one of them out."
    : `this is not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.?$/, ".")}`;

/** Where a key, or an element of a list, begins. */
function offsetOf(document: Document, keys: Path): number | undefined {
  const parent = keys.length === 1 ? document.contents : document.getIn(keys.slice(0, -1), true);
  const last = keys[keys.length - 1];
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last));
    if (isScalar(pair?.key)) return pair.key.range?.[0];
  }
  const node = document.getIn(keys, true) as { range?: readonly number[] } | undefined;
  return node?.range?.[0];
}

/** The keys that a text with dots stands for; names of requirements may hold dots themselves. */
function keysOf(document: Document, key: string, option = key): string[] {
  const [first, ...others] = key.split(".");
  if (first !== "requirements") return [first, ...others];
  const names = Object.keys((document.toJS().requirements ?? {}) as object);
  const rest = others.join(".");
  const name = names
    .filter((n) => rest === n || rest.startsWith(`${n}.`))
    .sort((a, b) => b.length - a.length)[0];
  if (name === undefined) {
    const given = others[0] ?? "";
    throw new InputError(`${option}: there is no requirement "${given}"${hint(given, names)}`);
  }
  return [first, name, ...(rest === name ? [] : rest.slice(name.length + 1).split("."))];
}

/** Puts a value in its place. */
function applySetting(document: Document, setting: Setting): Path {
  const { key, value } = setting;
  const option = optionOf(setting);
  if (value === undefined) {
    document.deleteIn(key.split("."));
    return key.split(".");
  }
  if (value.trim() === "") {
    const keys = keysOf(document, key, option);
    if (!document.hasIn(keys))
      throw new InputError(`${option}: there is no ${key} in the spec to leave out.`);
    document.deleteIn(keys);
    return keys;
  }
  const parsed = parseDocument(value);
  if (key === "" || parsed.errors.length > 0)
    throw new InputError(`${option}: write --set KEY=VALUE, such as --set requirements.misses.level=0.2.`);
  const keys = keysOf(document, key, option);
  for (let length = 1; length < keys.length; length++)
    if (document.hasIn(keys.slice(0, length)) && !isMap(document.getIn(keys.slice(0, length), true)))
      throw new InputError(`${option}: ${keys.slice(0, length).join(".")} has no keys of its own.`);
  document.setIn(keys, document.createNode(parsed.toJS()));
  return keys;
}
