// Solves a problem inside a run folder and saves after every chunk, so that a run interrupted at any moment resumes to the same
// numbers. The caller writes the report.
import {
  DivergedError,
  isSettled,
  type RequirementReport,
  residualOf,
  type Solution,
  type Solver,
  type SolverState,
} from "@pliant/core";
import { runChunks } from "./chunks.js";
import { interrupt } from "./interrupt.js";
import { type CertificateCheck, type Progress, progressLine, standing, timeLeft } from "./progress.js";
import type { RunFolder } from "./run-folder.js";

/** Training length, certificate checks and progress. */
export interface TrainOptions {
  steps: number;
  /** Steps between two checks of the certificate, each with a line of metrics and a checkpoint. */
  every: number;
  progress: Progress;
  /** The command that resumes the run. */
  resumeWith: string;
}

/** Solves in a run folder: saves at every check, stops on a signal, and resumes from the saved state. */
export async function train<P, N extends string>(
  { initial, next, inspect }: Solver<P, N>,
  folder: RunFolder<unknown, SolverState>,
  { steps, every, progress, resumeWith }: TrainOptions,
): Promise<Solution<P, N>> {
  const interrupted = interrupt();
  try {
    const start = await inspect(folder.state ?? initial);
    if (!folder.state) folder.save(start.state);
    const checkOf = ({ steps: step, certificate }: Solution<P, N>): CertificateCheck => ({
      step,
      residual: residualOf(certificate),
      seconds: performance.now() / 1000,
    });
    const checks = [checkOf(start)];
    return await runChunks(
      start,
      {
        done: ({ steps: taken, certificate }) => taken >= steps || isSettled(certificate),
        next: async (before) => {
          const taken = Math.min(every, steps - before.steps);
          const found = await next(before, taken, undefined, { onTheWay: before.steps + taken < steps });
          folder.save(found.state, lineOf(found));
          checks.push(checkOf(found));
          const left = timeLeft(checks, { tolerance: found.certificate.tolerance, steps });
          progress.show(progressLine(found.report, left), found.steps / steps, standing(found.report));
          return found;
        },
        // Saved after every chunk.
        stop: ({ steps: taken }) =>
          `stopped after step ${taken}; the run is saved in ${folder.path}. Go on with: ${resumeWith}`,
      },
      interrupted,
    );
  } catch (error) {
    if (error instanceof DivergedError) folder.save(error.lastGood);
    throw error;
  } finally {
    progress.end();
    interrupted.release();
  }
}

/** A line of metrics.jsonl. */
export const lineOf = <P, N extends string>({ steps, report }: Solution<P, N>) => ({
  step: steps,
  time: new Date().toISOString(),
  objective: report.objective,
  requirements: brief(report.requirements),
  certificate: report.certificate,
});

/** Metrics have one number per requirement, not one per element. */
const brief = <N extends string>(requirements: Record<N, RequirementReport>) =>
  Object.fromEntries(
    Object.entries<RequirementReport>(requirements).map(([name, { elements: _, ...r }]) => [name, r]),
  );
