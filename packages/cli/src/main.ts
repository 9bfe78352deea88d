// The pliant command: finds the subcommand and turns a mistake into a sentence and an exit code.
import { EngineError } from "@pliant/engine";
import { InputError, PliantError } from "pliant";
import { data } from "./data.js";
import { demo } from "./demo.js";
import { doctor } from "./doctor.js";
import { reproduce } from "./reproduce.js";
import { start } from "./start.js";
import { studio } from "./studio.js";
import { equilibriumCommand, learnabilityCommand } from "./theory.js";
import { trainCommands } from "./training/commands.js";

interface Command {
  summary: string;
  /** May give its exit code, 0 unless it does. */
  run(args: string[]): Promise<unknown>;
}

const commands: Record<string, Command> = {
  start: {
    summary: "train the loans example and open the Studio over it (--runs DIR, --port N, --once)",
    run: start,
  },
  doctor: { summary: "what runs on this machine, what does not, and how to get it", run: doctor },
  data: { summary: "fetch NAME, check NAME or list the datasets (--folder DIR, --json)", run: data },
  equilibrium: {
    summary: "the three equilibria of the paper's first figure (--svg FILE)",
    run: equilibriumCommand,
  },
  learnability: {
    summary: "the paper's example of what insisting makes unlearnable",
    run: learnabilityCommand,
  },
  demo: {
    summary: "train a classifier under three requirements, one of which cannot be met (--out DIR, --resume)",
    run: demo,
  },
  ...trainCommands,
  reproduce: {
    summary: "the paper's experiments: invariance or federated (--list shows all)",
    run: reproduce,
  },
  studio: { summary: "the page over a folder of runs (--runs DIR, --port N, --host ADDRESS)", run: studio },
};

const help = (): string =>
  [
    "Usage: pliant COMMAND [options]",
    "",
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`),
  ].join("\n");

/** 0 done, 1 the work failed, 2 the request was wrong. */
async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === "help" || name === "--help") {
    console.log(help());
    return 0;
  }
  const command = commands[name];
  if (!command) {
    console.error(`pliant: there is no command "${name}".\n\n${help()}`);
    return 2;
  }
  try {
    const code = await command.run(args);
    return typeof code === "number" ? code : 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const usage =
      error instanceof InputError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
    const expected = usage || error instanceof EngineError || error instanceof PliantError;
    console.error(`pliant ${name}: ${expected ? error.message : error.stack}`);
    return usage ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
