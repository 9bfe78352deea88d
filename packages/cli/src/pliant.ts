// The pliant command: finds the subcommand and turns a mistake into a sentence and an exit code.
import { readFileSync } from "node:fs";
import { didYouMean, InputError, PliantError } from "@pliant/core";
import { EngineError } from "@pliant/engine";
import { HelpAsked } from "./arguments.js";
import { commands } from "./commands.js";

const help = (): string =>
  [
    "Usage: pliant COMMAND [options]",
    "",
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`),
    "",
    "pliant COMMAND --help lists its options; pliant --version says which pliant this is.",
  ].join("\n");

/** That of the package this file lies in. */
function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version ?? "unknown";
}

/** Runs that this process leaves unfinished say why; one that was interrupted did not fail. */
async function keepCause(error: Error): Promise<void> {
  const { Interrupted, workFailed } = await import("@pliant/learn/runs");
  if (!(error instanceof Interrupted)) workFailed(error.message);
}

/** 0 done, 1 the work failed, 2 the request was wrong. */
export async function pliant([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && args.length === 0)) {
    console.log(help());
    return 0;
  }
  if (name === "--version" || name === "-v") {
    console.log(version());
    return 0;
  }
  if (name === "help") return pliant([...args, "--help"]);
  const command = commands[name];
  if (!command) {
    const meant = didYouMean(name, Object.keys(commands));
    console.error(`pliant: there is no command "${name}"${meant}\n\n${help()}`);
    return 2;
  }
  try {
    const code = await command.run(args);
    return typeof code === "number" ? code : 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof HelpAsked) {
      console.log(error.message);
      return 0;
    }
    const usage =
      error instanceof InputError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
    const expected = usage || error instanceof EngineError || error instanceof PliantError;
    console.error(`pliant ${name}: ${expected ? error.message : error.stack}`);
    await keepCause(error);
    return usage ? 2 : 1;
  }
}
