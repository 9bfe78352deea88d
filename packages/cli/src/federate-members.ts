// pliant federate invite and remove: who may take part.
import { existsSync, writeFileSync } from "node:fs";
import { InputError } from "@pliant/core";
import { invite, linkOf, remove } from "@pliant/federation";
import { readArgs } from "./arguments.js";
import { only } from "./federate-usage.js";
import { number, shared } from "./options.js";

export async function inviteCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate invite DIR --site NAME",
    about: "Prints a join code for one site, to be used once.",
    options: {
      site: { type: "string", value: "NAME", about: "the site to invite" },
      host: {
        type: "string",
        value: "ADDRESS",
        about: "the address at which the site reaches the coordinator (default: where it listens)",
      },
      "code-file": {
        type: "string",
        value: "FILE",
        about: "write the code to a new file that only you can read",
      },
      hours: { type: "string", value: "N", default: "72", about: "how long the code is valid" },
      json: shared.json,
    },
  });
  const folder = only(positionals, "folder");
  if (values.site === undefined) throw new InputError("name the site to invite with --site NAME.");
  if (values["code-file"] !== undefined && existsSync(values["code-file"]))
    throw new InputError(`${values["code-file"]} is there already; name another --code-file.`);
  const code = await invite(folder, values.site, { host: values.host, hours: number("hours", values.hours) });
  if (values.json) {
    console.log(JSON.stringify({ site: values.site, code, link: linkOf(code) }));
    return 0;
  }
  const file = values["code-file"];
  if (file !== undefined) {
    writeCode(file, code);
    console.log(`The join code for ${values.site} is in ${file}.`);
    return 0;
  }
  console.log(code);
  console.error(`To join from a browser: ${linkOf(code)}`);
  return 0;
}

/** Anyone who reads the code can join. */
function writeCode(file: string, code: string): void {
  try {
    writeFileSync(file, `${code}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new InputError(`${file} cannot be written: ${(error as Error).message}.`);
  }
}

export async function removeCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate remove DIR --site NAME",
    about:
      "Removes a site: one that never used its code, lost its folder or should leave. Its place is free for another invitation.",
    options: {
      site: { type: "string", value: "NAME", about: "the site to remove" },
      reason: { type: "string", value: "TEXT", about: "the reason, for the ledger" },
      json: shared.json,
    },
  });
  const folder = only(positionals, "folder");
  if (values.site === undefined) throw new InputError("name the site to remove with --site NAME.");
  await remove(folder, values.site, values.reason);
  if (values.json) console.log(JSON.stringify({ removed: values.site }));
  else console.log(`${values.site} was removed; its code and its identity are void, and its place is free.`);
  return 0;
}
