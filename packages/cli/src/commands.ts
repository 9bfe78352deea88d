// The commands by name. Each is imported when it runs, so that `train` does not load the Studio.
import { trainCommands } from "./training/commands.js";

export interface Command {
  summary: string;
  /** May return its exit code; 0 by default. */
  run(args: string[]): Promise<unknown>;
}

export const commands: Record<string, Command> = {
  start: {
    summary: "train the loans example and open the Studio on it",
    run: async (args: string[]) => (await import("./start.js")).start(args),
  },
  doctor: {
    summary: "which back ends work on this machine, and how to get the others",
    run: async (args: string[]) => (await import("./doctor.js")).doctor(args),
  },
  data: {
    summary: "download, verify or list datasets",
    run: async (args: string[]) => (await import("./data.js")).data(args),
  },
  equilibrium: {
    summary: "the three problems of the paper's first figure",
    run: async (args: string[]) => (await import("./theory.js")).equilibriumCommand(args),
  },
  learnability: {
    summary: "the paper's example that hard requirements make unlearnable",
    run: async (args: string[]) => (await import("./theory.js")).learnabilityCommand(args),
  },
  ...trainCommands,
  reproduce: {
    summary: "the paper's experiments; --list shows them",
    run: async (args: string[]) => (await import("./reproduce/reproduce.js")).reproduce(args),
  },
  federate: {
    summary: "train between sites that keep their data",
    run: async (args: string[]) => (await import("./federate.js")).federate(args),
  },
  work: {
    summary: "take runs from a queue, train them and send them back",
    run: async (args: string[]) => (await import("./queue/work.js")).workCommand(args),
  },
  studio: {
    summary: "serve the Studio, the web page over a folder of runs",
    run: async (args: string[]) => (await import("./studio.js")).studio(args),
  },
  publish: {
    summary: "write runs as a static page that needs no server",
    run: async (args: string[]) => (await import("./publish.js")).publishCommand(args),
  },
  completions: {
    summary: "print a completion script for bash, zsh or fish",
    run: async (args: string[]) => (await import("./completions.js")).completionsCommand(args),
  },
};
