// Solves a problem inside a run folder: chunk by chunk, each saved, so that a run that ends at any moment goes on to the
// same numbers.
import {
  createSolver,
  DivergedError,
  type Problem,
  type Solution,
  type SolveOptions,
  type SolverState,
} from "pliant";
import { interrupt } from "./interrupt.js";
import { type Look, type Progress, progressLine, residualOf, timeLeft } from "./progress.js";
import type { RunFolder } from "./run-folder.js";

export interface TrainOptions<Data> extends Omit<SolveOptions<Data>, "state" | "onProgress"> {
  steps: number;
  /** Steps between two looks at the certificate, each with a line of metrics and a checkpoint. */
  every: number;
  progress: Progress;
  /** How a person goes on with the run. */
  resumeWith: string;
}

export async function train<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  folder: RunFolder<unknown, SolverState>,
  { steps, every, progress, resumeWith, ...options }: TrainOptions<D>,
): Promise<Solution<P, N>> {
  const interrupted = interrupt();
  try {
    const { initial, advance, inspect } = await createSolver(task, options);
    let found = await inspect(folder.state ?? initial);
    if (!folder.state) folder.save(found.state);
    const look = (): Look => ({
      step: found.steps,
      residual: residualOf(found.certificate),
      seconds: performance.now() / 1000,
    });
    const looks = [look()];
    while (found.steps < steps && !found.certificate.holds) {
      await interrupted.check(
        () =>
          `stopped after step ${found.steps}; the run is saved in ${folder.path}. Go on with: ${resumeWith}`,
      );
      const chunk = Math.min(every, steps - found.steps);
      found = await inspect(await advance(found.state, chunk));
      const { objective, requirements, certificate } = found.report;
      folder.save(found.state, {
        step: found.steps,
        time: new Date().toISOString(),
        objective,
        requirements,
        certificate,
      });
      looks.push(look());
      progress.show(progressLine(found.report, timeLeft(looks, { tolerance: certificate.tolerance, steps })));
    }
    const { text: _, ...report } = found.report;
    folder.finish(report);
    return found;
  } catch (error) {
    if (error instanceof DivergedError) folder.save(error.lastGood);
    throw error;
  } finally {
    progress.end();
    interrupted.release();
  }
}
