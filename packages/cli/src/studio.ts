// pliant studio: serves the page over a folder of runs until it is stopped.

import { InputError } from "@pliant/core";
import { serveStudio } from "@pliant/studio";
import { readArgs, refuseWords } from "./arguments.js";
import { shared } from "./options.js";

export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535 || text.trim() === "")
    throw new InputError(`--port must be a whole number from 0 to 65535, not ${text}.`);
  return port;
}

const startedBy = process.ppid;

/**
 * Resolves at the first SIGINT or SIGTERM. npm and npx run a command in a shell that exits on a signal without forwarding it, so
 * the exit of that shell counts as a signal too.
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
    about: "Serves the Studio over a folder of runs until it is stopped.",
    options: {
      runs: { type: "string", value: "DIR", default: "runs", about: "the folder of runs" },
      port: { type: "string", value: "N", about: "the port to listen on (default: a free one)" },
      host: {
        type: "string",
        value: "ADDRESS",
        about: "the address to listen on (default: this machine only)",
      },
      share: { type: "boolean", default: false, about: "let others on the network read the runs" },
      json: shared.json,
    },
  });
  refuseWords(positionals, "studio");
  const serving = await serveStudio({
    runs: values.runs,
    host: values.host,
    share: values.share,
    command: [process.execPath, process.argv[1]],
    ...(values.port !== undefined && { port: readPort(values.port) }),
    onBuild: () => console.error("Building the page (first time only) …"),
  });
  if (values.json) {
    console.log(JSON.stringify({ runs: values.runs, url: serving.address(), others: serving.others }));
    await stopped();
    return serving.close();
  }
  console.log(`The Studio over ${values.runs} is at ${serving.address()}`);
  for (const other of serving.others) console.log(`For others on this network: ${other}`);
  if (serving.url.includes("?token="))
    console.log(
      values.share
        ? "Anyone with this address can read the runs, but not change them. Traffic is not encrypted."
        : "Others can reach this machine: anyone with this address can read, stop and delete runs. Traffic is not encrypted. Use --share to let them read only.",
    );
  console.log("Ctrl-C stops it.");
  await stopped();
  await serving.close();
}
