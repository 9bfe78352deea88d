// A printed number beside what retrained runs came to.
import type { TrainReport, TrainRequirement } from "@pliant/train";

export interface Compared {
  readonly what: "looser" | "tighter" | "insisting" | "price";
  /** As the report prints it, in two digits. */
  readonly printed: number;
  readonly retrained: number;
  /** How far they may differ: the last digit that is printed, and the error that the report states. */
  readonly within: number;
  readonly agrees: boolean;
  readonly note?: string;
}

interface Pair {
  readonly looser: TrainReport;
  readonly tighter: TrainReport;
}

const asPrinted = (x: number): number => Number(x.toPrecision(2));
/** Half a unit of the second digit, and what a solve can tell: less is printed as nothing. */
const lastDigit = (x: number): number =>
  x === 0 ? 5e-6 : Math.max(5e-6, 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(x))) - 1));

const compare = (
  what: Compared["what"],
  printed: number,
  retrained: number,
  stated: number,
  pressed = false,
): Compared => {
  const within = lastDigit(printed) + stated;
  const shown = asPrinted(printed);
  // The report's number is of the same scores; with retrained ones a tighter level may cost less, and a looser one save more.
  const above = what === "looser" ? shown - retrained : retrained - shown;
  return {
    ...{ what, printed: shown, retrained, within },
    agrees: (pressed ? above : Math.abs(above)) <= within * (1 + 1e-9),
    ...(pressed && { note: "scores were retrained, which may cost less" }),
  };
};

/** Costs of giving way, from a cost's name: quadratic(f) of the relaxation in its unit. */
const gaveIn = ({ requirements }: TrainReport): number =>
  Object.values(requirements).reduce((sum, { cost, relaxation, unit = 1 }) => {
    const factor = /^quadratic\((.*)\)$/.exec(cost)?.[1];
    return sum + (factor === undefined ? 0 : Number(factor) * (relaxation / unit) ** 2);
  }, 0);

const paid = (report: TrainReport): number => (report.decision?.cost ?? report.objective) + gaveIn(report);

/** Then the scores of the two runs are not the same. */
const isPressed = (...reports: TrainReport[]): boolean =>
  reports.some(({ decision }) => decision?.pressed === true);

/** One unit on either side, as far as it is printed. */
export function comparedNeighbours(
  own: TrainReport,
  { looser, tighter }: Partial<Pair>,
  name: string,
): Compared[] {
  const { neighbours } = own.requirements[name];
  return [
    ...(looser
      ? [compare("looser", neighbours!.looser!, paid(own) - paid(looser), 0, isPressed(own, looser))]
      : []),
    ...(tighter
      ? [compare("tighter", neighbours!.tighter!, paid(tighter) - paid(own), 0, isPressed(own, tighter))]
      : []),
  ];
}

/** Whether its price is a slope of the objective: of a loss that binds or gave way, in a run that is certified. */
export const isSlope = ({ pricedBy, decidedOn, status }: TrainRequirement): boolean =>
  pricedBy === "loss" && !decidedOn && status !== "violated" && status !== "unknown";

/** A slope of several parts that move together lies between the two sides. */
export function comparedSlope(
  own: TrainReport,
  { looser, tighter }: Pair,
  names: readonly string[],
  size: number,
): Compared {
  const parts = names.map((name) => own.requirements[name]);
  const price = parts.reduce((sum, one) => sum + one.price, 0);
  const stated = parts.reduce((sum, { errors }) => sum + (errors?.price ?? 0), 0);
  const [saved, cost] = [paid(own) - paid(looser), paid(tighter) - paid(own)].map((by) => by / size);
  const bent = Math.abs(cost - saved) / 2;
  return compare("price", price, (saved + cost) / 2, stated + bent);
}

/** The requirement hard. */
export function comparedInsisting(own: TrainReport, hard: TrainReport, name: string): Compared {
  const { costs, within = 0 } = own.requirements[name].insisting!;
  const paidMore = own.decision ? hard.decision!.cost - own.decision.cost : hard.objective - own.objective;
  return compare("insisting", costs, paidMore, within, isPressed(own, hard));
}
