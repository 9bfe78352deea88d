// pliant studio: serves the page over a folder of runs until it is stopped.

import { InputError } from "@pliant/core";
import { serveStudio } from "@pliant/studio";
import { readArgs, refuseWords } from "./arguments.js";

export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535 || text.trim() === "")
    throw new InputError(`--port is a whole number from 0 to 65535, not ${text}.`);
  return port;
}

const startedBy = process.ppid;

/**
 * Resolves at the first of the signals that end a program. npm runs a command in a shell that ends at a signal and passes none on:
 * started by npm or npx, a program is told to end by that shell's end.
 */
export const stopped = (): Promise<void> =>
  new Promise((done) => {
    const orphaned = setInterval(() => {
      if (process.env.npm_command !== undefined && process.ppid !== startedBy) end();
    }, 200);
    const end = (): void => {
      clearInterval(orphaned);
      done();
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  });

export async function studio(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "studio",
    about: "Serves the page over a folder of runs until it is stopped.",
    options: {
      runs: { type: "string", value: "DIR", default: "runs", about: "the folder of runs" },
      port: { type: "string", value: "N", about: "where the page is; a free one unless given" },
      host: { type: "string", value: "ADDRESS", about: "who may open it; this machine alone unless given" },
      share: { type: "boolean", default: false, about: "for others on the network to read" },
    },
  });
  refuseWords(positionals, "studio");
  const serving = await serveStudio({
    runs: values.runs,
    host: values.host,
    share: values.share,
    ...(values.port !== undefined && { port: readPort(values.port) }),
    onBuild: () => console.error("Building the page, once …"),
  });
  console.log(`The Studio over ${values.runs} is at ${serving.url}`);
  for (const other of serving.others) console.log(`For others on this network: ${other}`);
  if (serving.url.includes("?token="))
    console.log(
      values.share
        ? "Whoever has this address can read the runs, and change nothing. What is sent is not encrypted."
        : "Others can reach this machine: whoever has this address can read, stop and delete runs. What is sent is not encrypted. --share lets them only read.",
    );
  console.log("Ctrl-C stops it.");
  await stopped();
  await serving.close();
}
