// What levels cost, as questions answer it: what neighbouring levels and insisting came to.
import type { RequirementReport } from "@pliant/core";
import { large } from "../format/figure.js";

/** By name, how much more there is of it: of other rates, of errors. */
export type Pays = Readonly<Record<string, number>>;

/** The rates over all rows that move with a threshold, as they are named beside the requirements. */
export const overallRates = {
  errors: "error rate",
  misses: "overall miss rate",
  alarms: "overall false alarm rate",
} as const;

/** For requirements on decisions, whose threshold was chosen again with the same scores. */
export interface Paid {
  /** In what it costs: errors, balanced errors, or the costs that are stated; default: loss. */
  readonly in?: string;
}

/** One step in which a level is read: its size, and what it is called. */
export interface Unit {
  readonly size: number;
  readonly name: string;
}

/** What is gained or lost by one unit of the level, of loss plus cost of giving way, by solves in which others give way anew. */
export interface Neighbours extends Paid {
  readonly unit: Unit;
  readonly pays?: { readonly looser?: Pays; readonly tighter?: Pays };
  readonly looser?: number;
  readonly tighter?: number;
  /** For a rate that no threshold moves by one more unit: the reason. */
  readonly unmet?: Unmet;
  /** Where others gave way: how much less they do one unit looser, where that can be seen. */
  readonly relieved?: Readonly<Record<string, number>>;
}

/** Under which conditions no threshold brings a rate to its level. */
export interface Unmet {
  /** What must hold beside it, where a threshold would meet it without that. */
  readonly against?: readonly string[];
  /** For a rate among the rows that are predicted as a class: the smallest number of such rows for which it means anything. */
  readonly fewest?: number;
  /** With several classes: these are offsets instead of a threshold. */
  readonly offsets?: true;
}

/** The result of solving again with the requirement hard. */
export interface Insisting extends Paid {
  /** What else moves. */
  readonly pays?: Pays;
  readonly level: number | readonly number[];
  readonly reached: number;
  /** Whether the level was reached, at an equilibrium. */
  readonly had: boolean;
  /** How far it is from the level that was insisted on; 0 where it is there. */
  readonly missed: number;
  /** How far it is short of the level by less than its resolution; left out where that is nothing. */
  readonly short?: number;
  /** It hardly came nearer while its price doubled, beyond what anybody pays. */
  readonly outOfReach?: boolean;
  /** The least that this model can reach, where that is known to be beyond the level: it cannot be met. */
  readonly least?: number;
  /** `reached` is what the model came to when trained for this requirement alone: not met even so, though it may reach less. */
  readonly alone?: true;
  /** How much larger the objective is. */
  readonly costs: number;
  /** To about how much that is known, where several models count the same or a repeated run may end in another minimum. */
  readonly within?: number;
  /** How much more others give way. */
  readonly others: Readonly<Record<string, number>>;
  /** Those of them that must hold, and then do not. */
  readonly broken?: readonly string[];
  /** For a rate that no threshold brings to its level: the reason. */
  readonly unmet?: Unmet;
  /** For a level looser than the run's own. */
  readonly looser?: Looser;
}

export interface Looser {
  /** The run's own level, in words. */
  readonly than: string;
  /** Whether it is looser than what the run gave way to, too: else there still is something to insist on. */
  readonly thanReached: boolean;
  /** How much less others give way. */
  readonly relieved: Readonly<Record<string, number>>;
}

/** Points of a rate, no fewer than it can show; of anything else a power of ten well below its level. */
export function unitOf(kind: "rate" | "other", level: number, least = 0): Unit {
  if (kind === "rate") {
    const points = Math.max(1, Math.ceil(least * 100 - 1e-9));
    return {
      size: points / 100,
      name: points === 1 ? "one percentage point" : `${points} percentage points`,
    };
  }
  const size = level === 0 ? 0.01 : 10 ** (Math.floor(Math.log10(Math.abs(level))) - 1);
  return { size, name: large(Number(size.toPrecision(1))) };
}

interface AskedLevel extends Pick<RequirementReport, "sense" | "level"> {
  /** A relative level as the spec has it. */
  readonly relative?: string;
}

export const askedOf = ({ sense, level, relative }: AskedLevel): string =>
  `${sense} ${relative ?? [level].flat().map(large).join(" and ")}`;
