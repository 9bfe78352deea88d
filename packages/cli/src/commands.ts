// The commands by name. Each is loaded when it is asked for: a training waits for no Studio.
import { trainCommands } from "./training/commands.js";

export interface Command {
  summary: string;
  /** May give its exit code, 0 unless it does. */
  run(args: string[]): Promise<unknown>;
}

export const commands: Record<string, Command> = {
  start: {
    summary: "train the loans example and open the Studio over it (--runs DIR, --port N, --once)",
    run: async (args: string[]) => (await import("./start.js")).start(args),
  },
  doctor: {
    summary: "what runs on this machine, what does not, and how to get it",
    run: async (args: string[]) => (await import("./doctor.js")).doctor(args),
  },
  data: {
    summary: "fetch NAME, check NAME or list the datasets (--folder DIR, --json)",
    run: async (args: string[]) => (await import("./data.js")).data(args),
  },
  equilibrium: {
    summary: "the three equilibria of the paper's first figure (--svg FILE)",
    run: async (args: string[]) => (await import("./theory.js")).equilibriumCommand(args),
  },
  learnability: {
    summary: "the paper's example of what insisting makes unlearnable",
    run: async (args: string[]) => (await import("./theory.js")).learnabilityCommand(args),
  },
  ...trainCommands,
  reproduce: {
    summary: "the paper's experiments: invariance or federated (--list shows all)",
    run: async (args: string[]) => (await import("./reproduce/reproduce.js")).reproduce(args),
  },
  federate: {
    summary: "sites that keep their data: demo, simulate FILE, serve SPEC, invite DIR, join CODE, status DIR",
    run: async (args: string[]) => (await import("./federate.js")).federate(args),
  },
  work: {
    summary:
      "take runs from a queue, nats://HOST:PORT, and send them back (--device, --out, --minutes, --once)",
    run: async (args: string[]) => (await import("./queue/work.js")).workCommand(args),
  },
  studio: {
    summary: "the page over a folder of runs (--runs DIR, --port N, --host ADDRESS, --share)",
    run: async (args: string[]) => (await import("./studio.js")).studio(args),
  },
  publish: {
    summary: "RUN OUT: a run, or a folder of runs, as a page that needs no server",
    run: async (args: string[]) => (await import("./publish.js")).publishCommand(args),
  },
};
