// A run on disk: run.json holds the request, metrics.jsonl one line per evaluation, report.json the result, and
// checkpoint.safetensors the state to resume from. Files are written beside the old ones and renamed, so that a crash leaves the
// old or the new file, never a part.
import { InputError } from "@pliant/core";
import {
  appendFileSync,
  existsSync,
  join,
  mkdirSync,
  readFileSync,
  replaceFile,
  rmSync,
} from "@pliant/platform";
import { beginWork, endWork } from "./at-work.js";
import { decodeState, encodeState, type Saved } from "./checkpoint.js";

/**
 * A run on disk: run.json, metrics.jsonl, checkpoint.safetensors and, at the end, report.json. A crash at any moment loses
 * nothing that was saved.
 */
export interface RunFolder<Request, State extends Saved = Saved> {
  readonly path: string;
  /** The request. */
  readonly asked: Request;
  /** The state to resume from; undefined at the start. */
  readonly state: State | undefined;
  /** The result of a finished run. */
  readonly report: unknown;
  /** Saves the evaluation, then its state: resuming drops evaluations that are ahead of the state. */
  save(state: State, metrics?: object): void;
  /** Saves an evaluation without a checkpoint. */
  log(metrics: object): void;
  finish(report: object): void;
}

const files = ["run.json", "report.json", "metrics.jsonl", "checkpoint.safetensors"] as const;
const [askedFile, reportFile, metricsFile, checkpointFile] = files;

/** Starts a run in a folder, replacing any run there. */
export function startRun<Request extends object, State extends Saved = Saved>(
  path: string,
  asked: Request,
): RunFolder<Request, State> {
  return onDisk(path, () => {
    mkdirSync(path, { recursive: true });
    // run.json is deleted first and written last: a folder without it holds no run.
    for (const file of files) rmSync(join(path, file), { force: true });
    replaceFile(join(path, askedFile), json(asked));
    return folder<Request, State>(path, asked, undefined);
  });
}

/** Resumes the run in a folder. */
export function resumeRun<Request extends object, State extends Saved = Saved>(
  path: string,
  read: (asked: unknown) => Request,
): RunFolder<Request, State> {
  if (!existsSync(join(path, askedFile)))
    throw new InputError(`there is no run to resume in ${path}; start one without --resume.`);
  return onDisk(path, () => {
    const asked = read(parseJson(join(path, askedFile)));
    const [checkpoint, metrics] = [join(path, checkpointFile), join(path, metricsFile)];
    if (!existsSync(checkpoint)) {
      // The first checkpoint precedes the first evaluation.
      if (existsSync(metrics))
        throw new InputError(`there is no ${checkpointFile} in ${path} to resume from; ${startAgain}`);
      return folder<Request, State>(path, asked, undefined);
    }
    const state = decodeState<State>(readFileSync(checkpoint), checkpoint);
    if (existsSync(metrics)) replaceFile(metrics, upTo(state.step, readFileSync(metrics, "utf8")));
    return folder<Request, State>(path, asked, state);
  });
}

/** The run in a folder, finished or resumable; undefined if there is none. */
export const begunRun = <Request extends object, State extends Saved = Saved>(
  path: string,
  read: (asked: unknown) => Request,
): RunFolder<Request, State> | undefined =>
  existsSync(join(path, askedFile)) ? resumeRun<Request, State>(path, read) : undefined;

const startAgain = "start again without --resume.";

function folder<Request, State extends Saved>(
  path: string,
  asked: Request,
  state: State | undefined,
): RunFolder<Request, State> {
  const done = existsSync(join(path, reportFile));
  if (!done) beginWork(path);
  const append = (metrics: object): void =>
    appendFileSync(join(path, metricsFile), `${JSON.stringify(metrics)}\n`);
  return {
    path,
    asked,
    state,
    report: done ? parseJson(join(path, reportFile)) : undefined,
    save: (next, metrics) =>
      onDisk(path, () => {
        if (metrics) append(metrics);
        replaceFile(join(path, checkpointFile), encodeState(next));
      }),
    log: (metrics) => onDisk(path, () => append(metrics)),
    finish: (report) =>
      onDisk(path, () => {
        replaceFile(join(path, reportFile), json(report));
        endWork(path);
      }),
  };
}

/** Turns file system errors into messages for the user. */
function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (reason) {
    const { code, message } = reason as Error & { code?: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw reason;
    throw new InputError(`the run folder ${path} cannot be used: ${message}`);
  }
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    throw new InputError(`${file} is damaged: it is not JSON (${reason.message}); ${startAgain}`);
  }
}

/** The complete lines of evaluations up to a step. */
function upTo(step: number, lines: string): string {
  const kept = lines.split("\n").filter((line) => {
    try {
      return JSON.parse(line).step <= step;
    } catch {
      return false;
    }
  });
  return kept.map((line) => `${line}\n`).join("");
}
