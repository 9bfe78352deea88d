// Of two groups a gap is one number, seen from either side. The side that is behind says nothing of its own where it costs nothing, and
// a reader is told of the other alone; report.json has both.
import type { TrainReport, TrainRequirement } from "./report.js";

/** Up to the group: `parity [grp=A]` and `parity [grp=B]` are of one label. */
const labelOf = (name: string): string => name.replace(/ \[[^\]]*\]$/, "");

const isGap = ({ strictly }: TrainRequirement): boolean => strictly.startsWith("gap in ");

/** Whether one is the other seen from the other side. */
function mirrored(a: TrainRequirement, b: TrainRequirement): boolean {
  const seen = [a.train, b.train].map((outcome) => outcome?.strict.value ?? Number.NaN);
  return (
    [a, b].every(isGap) &&
    [a, b].every(({ sense }) => sense === "at most") &&
    a.level === b.level &&
    a.hard === b.hard &&
    Math.abs(seen[0] + seen[1]) < 1e-9
  );
}

/** The report as it is told: of a gap between two groups the side that is ahead. */
export function withoutMirrors(report: TrainReport): TrainReport {
  const all = Object.entries(report.requirements);
  const hidden = all.flatMap(([name, r]) => {
    const others = all.filter(([other]) => other !== name && labelOf(other) === labelOf(name));
    if (others.length !== 1 || !mirrored(r, others[0][1])) return [];
    const [[other, ahead]] = others;
    const behind = r.reached < ahead.reached || (r.reached === ahead.reached && other < name);
    return behind && r.price === 0 && r.status !== "violated" ? [name] : [];
  });
  return hidden.length === 0
    ? report
    : { ...report, requirements: Object.fromEntries(all.filter(([name]) => !hidden.includes(name))) };
}
