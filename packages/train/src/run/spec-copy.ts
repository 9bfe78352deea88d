// The spec as a run folder keeps it, with the files it names, so the run can be trained again from there.

import { InputError } from "@pliant/core";
import { isUrl, shownAddress, shownAddresses } from "@pliant/data";
import { existsSync, join, relative, resolve } from "@pliant/platform";
import { besideSpec } from "../data/files.js";
import { keptParts } from "../data/split.js";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";
import { writeWhole } from "../store/files.js";
import { specCopy } from "./asked.js";

/** Where the copy of the spec would fall on the spec itself, what was set would go into a person's file. */
export function refuseSpecFolder({ path }: SpecFile, out: string): void {
  if (resolve(path) === resolve(out, specCopy) && !existsSync(join(out, "run.json")))
    throw new InputError(`--out ${out} is the folder of the spec itself; choose another for the run.`);
}

/** The files that a spec names, by the keys that name them. */
export function dataFiles(specFile: SpecFile): Record<string, string> {
  const { file, ...data } = specFile.spec.data;
  return {
    ...(file !== undefined && { "data.file": besideSpec(specFile, file) }),
    ...Object.fromEntries(
      keptParts.flatMap((part) => {
        const how = data[part];
        return typeof how === "string" ? [[`data.${part}`, besideSpec(specFile, how)]] : [];
      }),
    ),
  };
}

/** The files of metrics of one's own, by the keys that name them. */
const ownFiles = (specFile: SpecFile): [string, string][] =>
  Object.entries(specFile.spec.requirements).flatMap(([name, requirement]) =>
    requirement.metric === "own"
      ? [[`requirements.${name}.use`, besideSpec(specFile, requirement.use)] as [string, string]]
      : [],
  );

/** The spec as a run folder keeps it, with the paths of its files as they are from there, and addresses without secrets. */
export function writeSpecCopy(
  specFile: SpecFile,
  { name, out }: { readonly name: string; readonly out: string },
): void {
  const there = ([key, path]: [string, string]): [string, string] => [
    key,
    isUrl(path) ? shownAddress(path) : relative(out, path).replaceAll("\\", "/"),
  ];
  const files = Object.fromEntries(
    [...Object.entries(dataFiles(specFile)), ...ownFiles(specFile)].map(there),
  );
  writeWhole(join(out, specCopy), shownAddresses(specFile.text({ name, ...files })));
}

/** The spec as run.json keeps it: run folders are shown and published, so no address in it contains a secret. */
export function storedSpec(spec: Spec): Spec {
  const shown = <T>(how: T): T => (typeof how === "string" ? (shownAddress(how) as T) : how);
  const { file, test, validation } = spec.data;
  const kept = { file: shown(file), test: shown(test), validation: shown(validation) };
  return {
    ...spec,
    data: {
      ...spec.data,
      ...Object.fromEntries(Object.entries(kept).filter(([, how]) => how !== undefined)),
    },
  };
}
