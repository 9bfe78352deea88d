// Overrides of a spec from the command line: --set and --hard.

import { InputError, unknownName } from "@pliant/core";
import { type Setting, type SpecFile, specName, together } from "@pliant/train";

export function readSetting(text: string): Setting {
  const at = text.indexOf("=");
  if (at < 1)
    throw new InputError(`--set takes KEY=VALUE, such as --set requirements.misses.level=0.2, not ${text}.`);
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

/** The column that defines its groups, as reports name it; several columns are joined. */
const byOf = (requirement: object): string | undefined => {
  const { by } = requirement as { by?: string | string[] };
  return by === undefined ? undefined : together([by].flat());
};

/** Accepts a requirement of the spec, one of its groups (`misses [group=B]`), or a name as reports print it (`odds, false positives [group=B], at most 0.1`). */
export function hardSettings({ spec: { requirements } }: SpecFile, names: readonly string[]): Setting[] {
  const own = Object.keys(requirements);
  const listed = new Map<string, string[]>();
  const whole = new Set<string>();
  for (const name of names) {
    const [, of = "", column, group] = /^(.*) \[(.*?)=(.*)\]$/.exec(name) ?? [];
    const isGroup = Object.hasOwn(requirements, of) && byOf(requirements[of]) === column;
    const printedOf = isGroup ? of : specName(name, own);
    if (Object.hasOwn(requirements, name)) whole.add(name);
    else if (printedOf === undefined) throw unknownName("a requirement of the spec", name, own);
    else listed.set(printedOf, [...(listed.get(printedOf) ?? []), isGroup ? group : name]);
  }
  const already = (of: string): string[] => {
    const { hard } = requirements[of];
    return Array.isArray(hard) ? hard : [];
  };
  const setting = (of: string, key: "hard" | "cost", value: unknown): Setting => ({
    key: `requirements.${of}.${key}`,
    value: JSON.stringify(value),
    said: `--hard ${names.join(", ")}`,
  });
  return [
    ...[...listed].map(([of, values]) => setting(of, "hard", [...new Set([...already(of), ...values])])),
    // Replaces a cost in the spec.
    ...[...whole].map((of) => setting(of, "cost", "hard")),
  ];
}
