// The pliant command: finds the subcommand and turns a mistake into a sentence and an exit code.
import { readFileSync } from "node:fs";
import { didYouMean } from "@pliant/core";
import { HelpAsked } from "./arguments.js";
import { paint } from "./colours.js";
import { commands } from "./commands.js";
import { exitCodes } from "./exit-codes.js";

const help = (): string =>
  [
    "Usage: pliant COMMAND [options]",
    "",
    ...Object.entries(commands).map(
      ([name, { summary }]) => `  ${paint("bold", name.padEnd(13))} ${summary}`,
    ),
    "",
    "pliant COMMAND --help lists the options of a command; pliant --version prints the version.",
    `Exit codes: ${exitText}. With --json, errors are JSON too.`,
  ].join("\n");

const exitText = Object.entries(exitCodes)
  .map(([name, code]) => `${code} ${name}`)
  .join(", ");

/** The version of the package this file is in. */
function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version ?? "unknown";
}

const asksForJson = (args: readonly string[]): boolean => {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
};

/** Runs a command and returns its exit code. */
export async function pliant([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && args.length === 0)) {
    console.log(help());
    return exitCodes.done;
  }
  if (name === "--version" || name === "-v") {
    console.log(version());
    return exitCodes.done;
  }
  if (name === "help") return pliant([...args, "--help"]);
  const fail = (kind: string, exit: number, message: string): number => {
    if (asksForJson(args)) console.log(JSON.stringify({ error: { kind, exit, message } }, null, 2));
    else
      console.error(
        `${paint("red", name in commands ? `pliant ${name}` : "pliant", process.stderr)}: ${message}`,
      );
    return exit;
  };
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const meant = didYouMean(name, Object.keys(commands));
    return fail(
      "usage",
      exitCodes.usage,
      `there is no command "${name}"${meant}\nRun pliant help for the list.`,
    );
  }
  try {
    const code = await command.run(args);
    return typeof code === "number" ? code : exitCodes.done;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof HelpAsked) {
      console.log(error.message);
      return exitCodes.done;
    }
    const { failureOf, keepCause } = await import("./failure.js");
    keepCause(error);
    const { kind, exit, message } = failureOf(error);
    return fail(kind, exit, message);
  }
}
