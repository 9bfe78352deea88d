// A sweep over a queue: every point is a job that carries its spec and data. Points start from scratch, because no
// neighbouring solution exists yet.
import { existsSync } from "node:fs";
import { basename, extname, isAbsolute, join, normalize, relative } from "node:path";
import { dirname } from "node:path/posix";
import { PliantError } from "@pliant/core";
import { Interrupted, progress } from "@pliant/learn/runs";
import { idOf, type Job, openQueue, type Queue, type Taken } from "@pliant/queue";
import {
  dataFiles,
  finishedRun,
  type PlannedPoint,
  pointsOf,
  type RunOptions,
  readSpec,
  type SpecFile,
  type Sweep,
  type SweepAsked,
  type SweepPoint,
  sweepOf,
  trainInFolder,
  writeSpecCopy,
  writeWhole,
} from "@pliant/train";
import { gather } from "./gather.js";
import type { AtHand } from "./work.js";

export const trainKind = "train";

interface SweepPointRequest {
  readonly name: string;
  /** As YAML. */
  readonly spec: string;
  /** Names of the shared files, by their paths beside the spec. */
  readonly data: Readonly<Record<string, string>>;
  readonly sweep: SweepPoint;
}

/** A path relative to the spec that also works in a worker's folder. */
const inside = (path: string, from: string, i: number): string => {
  const own = normalize(relative(from, path)).replaceAll("\\", "/");
  return own.startsWith("..") || isAbsolute(own) ? `data-${i}${extname(path)}` : own;
};

async function jobOf({ specFile, options }: PlannedPoint, queue: Queue): Promise<Job<SweepPointRequest>> {
  const files = Object.entries(dataFiles(specFile)).map(([key, path], i) => ({
    key,
    path,
    there: inside(path, dirname(specFile.path), i),
  }));
  const shared = await Promise.all(files.map(async ({ path, there }) => [there, await queue.share(path)]));
  const { name, sweep } = options;
  const spec = specFile.text(Object.fromEntries(files.map(({ key, there }) => [key, there])));
  return { kind: trainKind, asked: { name, spec, data: Object.fromEntries(shared), sweep } };
}

/** Lets workers run the points of a sweep, and waits for all of them. */
export async function sweepByQueue(
  address: string,
  specFile: SpecFile,
  asked: readonly SweepAsked[],
  options: RunOptions,
): Promise<Sweep> {
  const points = pointsOf(specFile, asked, options);
  const missing = points.filter(({ options: { out } }) => !existsSync(join(out, "report.json")));
  const queue = await openQueue(address);
  try {
    const wanted = await Promise.all(
      missing.map(async (point) => ({
        job: await jobOf(point, queue),
        name: point.options.name,
        path: point.options.out,
        failed: (sentence: string): never => {
          throw new PliantError(`${point.options.name}: ${sentence}`);
        },
      })),
    );
    await gather(queue, wanted, {});
  } finally {
    await queue.close();
  }
  // The data has another path on this machine.
  for (const point of missing) writeSpecCopy(point.specFile, point.options);
  return sweepOf(
    asked,
    points,
    points.map(({ options: { out } }) => ({ folder: out, report: finishedRun(out).report })),
  );
}

/** Trains the points that the jobs name, each in a separate folder. */
export async function doTrain(taken: readonly Taken[], { out, device, queue }: AtHand): Promise<void> {
  for (const point of taken) {
    const { name, spec, data, sweep } = point.job.asked as SweepPointRequest;
    const folder = join(out, idOf(point.job));
    const run = join(folder, basename(name).replace(/[^\p{L}\p{N}_.+-]+/gu, "_"));
    try {
      writeWhole(join(folder, "spec.yaml"), spec);
      for (const [path, shared] of Object.entries(data)) await queue.shared(shared, join(folder, path));
      const resume = existsSync(join(run, "run.json"));
      const options = { name, out: run, device, resume, sweep, insist: false, progress: progress() };
      if (!existsSync(join(run, "report.json")))
        await trainInFolder(readSpec(join(folder, "spec.yaml")), options);
      await point.finish(run, (file) => !file.startsWith("at-work"));
    } catch (error) {
      if (error instanceof Interrupted || !(error instanceof PliantError)) throw error;
      await point.fail(error.message);
    }
  }
}
