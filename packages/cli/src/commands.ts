// The commands by name.
import { data } from "./data.js";
import { demo } from "./demo.js";
import { doctor } from "./doctor.js";
import { federate } from "./federate.js";
import { publishCommand } from "./publish.js";
import { workCommand } from "./queue/work.js";
import { reproduce } from "./reproduce.js";
import { start } from "./start.js";
import { studio } from "./studio.js";
import { equilibriumCommand, learnabilityCommand } from "./theory.js";
import { trainCommands } from "./training/commands.js";

export interface Command {
  summary: string;
  /** May give its exit code, 0 unless it does. */
  run(args: string[]): Promise<unknown>;
}

export const commands: Record<string, Command> = {
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
  federate: {
    summary: "sites that keep their data: demo, serve SPEC, invite DIR, join CODE, status DIR",
    run: federate,
  },
  work: {
    summary:
      "take runs from a queue, nats://HOST:PORT, and send them back (--device, --out, --minutes, --once)",
    run: workCommand,
  },
  studio: {
    summary: "the page over a folder of runs (--runs DIR, --port N, --host ADDRESS, --share)",
    run: studio,
  },
  publish: {
    summary: "RUN OUT: a run, or a folder of runs, as a page that needs no server",
    run: publishCommand,
  },
};
