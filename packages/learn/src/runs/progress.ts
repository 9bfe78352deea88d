// Progress of a run: one line that is updated on a terminal, occasional lines elsewhere.
import { excessOf, type Report, residualOf } from "@pliant/core";

/** Receives the progress lines of a run. */
export interface Progress {
  /**
   * `done` is the finished share of the work. `stands` is the content of the line besides that share: while it is unchanged, fewer
   * lines are written. `who` identifies the worker if there are several.
   */
  show(line: string, done?: number, stands?: string, who?: string): void;
  /** Keeps the last line, of one worker if there are several. */
  end(who?: string): void;
}

/** How many progress lines a file or a pipe gets in a whole run. */
const parts = 20;

/** Progress goes to standard error by default, separate from results. */
export function progress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return inLines(stream);
  let shown = false;
  return {
    show: (line) => {
      // Return to the margin, cut the line to the terminal's width, clear the rest.
      stream.write(`\r${line.slice(0, (stream.columns || 80) - 1)}\x1b[K`);
      shown = true;
    },
    end: (who) => {
      if (shown && who === undefined) stream.write("\n");
      shown &&= who !== undefined;
    },
  };
}

/** Writes a line per twentieth of the work and the last line; the interval doubles while the content does not change. */
function inLines(stream: NodeJS.WriteStream): Progress {
  interface Written {
    readonly part: number;
    readonly stands?: string;
    /** Parts until the next line while the content is unchanged. */
    readonly pause: number;
    waiting?: string;
  }
  const last = new Map<string, Written>();
  const write = (line: string): void => void stream.write(`${line}\n`);
  return {
    show: (line, done, stands, who = "") => {
      const part = done === undefined ? Number.NaN : Math.floor(done * parts);
      const before = last.get(who);
      const isSame = stands !== undefined && stands === before?.stands;
      if (before && (part === before.part || (isSame && part < before.part + before.pause))) {
        before.waiting = line;
        return;
      }
      last.set(who, { part, stands, pause: before && isSame ? 2 * before.pause : 1 });
      write(line);
    },
    end: (who) => {
      for (const id of who === undefined ? [...last.keys()] : [who]) {
        const waiting = last.get(id)?.waiting;
        if (waiting !== undefined) write(waiting);
        last.delete(id);
      }
    },
  };
}

/** The excess of each requirement over its level: negative if it holds. */
export function excesses<N extends string>({ requirements }: Report<N>): { name: N; excess: number }[] {
  return (Object.keys(requirements) as N[]).map((name) => ({ name, excess: excessOf(requirements[name]) }));
}

/** Seconds in words: `45 s`, `3 min`. */
export const duration = (seconds: number): string =>
  seconds <= 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

/** One check of the certificate: its step, its residual, and when, in seconds. */
export interface CertificateCheck {
  readonly step: number;
  readonly residual: number;
  readonly seconds: number;
}

/** Residuals fall geometrically near a solution, so the last few checks predict when they reach the tolerance; the step limit bounds it. */
export function timeLeft(
  checks: readonly CertificateCheck[],
  { tolerance, steps }: { tolerance: number; steps: number },
): string {
  const [from, now] = [checks[Math.max(0, checks.length - 5)], checks[checks.length - 1]];
  if (now.step === from.step) return "";
  const perStep = (now.seconds - from.seconds) / (now.step - from.step);
  const decay = Math.log(from.residual / now.residual) / (now.step - from.step);
  const needed = Math.log(now.residual / tolerance) / decay;
  const allowed = steps - now.step;
  // Where the residual is below the tolerance already, what is missing is another part of the certificate.
  const trusted = decay > 0 && needed > 0 && needed < allowed;
  return trusted ? `~${duration(perStep * needed)} left` : `≤${duration(perStep * allowed)} left`;
}

/** The state of training at a check: its loss, and the worst requirement. */
export function standing<N extends string>(report: Report<N>): string {
  const inUnits = ({ name, excess }: { name: N; excess: number }): number =>
    excess / (report.requirements[name].unit ?? 1);
  const worst = excesses(report).reduce((a, b) => (inUnits(b) > inUnits(a) ? b : a));
  const by = worst.excess;
  const far = by < 1000 ? by.toFixed(3) : Math.round(by).toLocaleString("en");
  const said = worst.excess > 0 ? `"${worst.name}" misses its level by ${far}` : "all levels are met";
  return `loss ${report.objective.toFixed(4)}  ${said}`;
}

/** A check in one line: step, loss, the worst requirement, the residual, and the time left. */
export function progressLine<N extends string>(report: Report<N>, left: string): string {
  const { steps, certificate } = report;
  return [
    `step ${String(steps).padStart(5)}`,
    standing(report),
    `residual ${residualOf(certificate).toExponential(1)}`,
    certificate.holds ? "at equilibrium" : left,
  ].join("  ");
}
