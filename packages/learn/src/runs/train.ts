// Solves a problem inside a run folder and saves after every chunk, so that a run interrupted at any moment resumes to the same
// numbers. The caller writes the report.
import {
  DivergedError,
  type RequirementReport,
  residualOf,
  type Solution,
  type Solver,
  type SolverState,
  solutions,
} from "@pliant/core";
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
  solver: Solver<P, N>,
  folder: RunFolder<unknown, SolverState>,
  { steps, every, progress, resumeWith }: TrainOptions,
): Promise<Solution<P, N>> {
  const interrupted = interrupt();
  try {
    const { state } = folder;
    const checks: CertificateCheck[] = [];
    const stopIfAsked = ({ steps: step }: Solution<P, N>): Promise<void> =>
      interrupted.check(
        () => `stopped after step ${step}; the run is saved in ${folder.path}. Go on with: ${resumeWith}`,
      );
    const goesOn = async (found: Solution<P, N>): Promise<boolean> => {
      // Saved at every check.
      if (checks.length > 1) await stopIfAsked(found);
      return false;
    };
    const left = Math.max(0, steps - (state?.step ?? 0));
    let last!: Solution<P, N>;
    for await (const found of solutions(solver, { steps: left, every, state, enough: goesOn })) {
      const { certificate, report } = found;
      checks.push({
        step: found.steps,
        residual: residualOf(certificate),
        seconds: performance.now() / 1000,
      });
      last = found;
      if (checks.length > 1) {
        folder.save(found.state, lineOf(found));
        const time = timeLeft(checks, { tolerance: certificate.tolerance, steps });
        progress.show(progressLine(report, time), found.steps / steps, standing(report));
      } else if (!state) folder.save(found.state);
    }
    await stopIfAsked(last);
    return last;
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
