// The federation that a load is put on: a model of a given size, and sites whose identities everyone here can make.
import { checkSpec, digest, type FederationSpec, type Identity, identityOf } from "@pliant/federation";

export interface Load {
  readonly sites: number;
  readonly hidden: readonly number[];
  readonly rounds: number;
  /** Cuts the sites of a round into groups, if given. */
  readonly group?: number;
  /** Sites that fall silent after they have shared their keys, in every sum. */
  readonly dropped: number;
}

const inputs = 784;
const outputs = 10;

/** One exchange a round: an update and a loss. */
export const specOf = ({ sites, hidden, rounds, group }: Load): FederationSpec =>
  checkSpec({
    name: "load",
    data: {
      features: Array.from({ length: inputs }, (_, i) => `x${i}`),
      label: "y",
      classes: Array.from({ length: outputs }, (_, i) => `c${i}`),
    },
    model: { hidden },
    sites: { number: sites, ...(group && { group }) },
    training: { rounds, communicationRounds: 1, rate: 0.1 },
  });

export const parametersOf = ({ hidden }: Load): number => {
  const widths = [inputs, ...hidden, outputs];
  return widths.slice(1).reduce((sum, width, i) => sum + (widths[i] + 1) * width, 0);
};

export const siteNames = ({ sites }: Load): string[] => Array.from({ length: sites }, (_, i) => `site-${i}`);
export const identityFor = (site: string): Identity => identityOf(digest(site));

/** What the sites and the coordinator tell the benchmark. */
export type Told =
  | { readonly kind: "listening"; readonly port: number; readonly fingerprint: string }
  | {
      readonly kind: "round";
      readonly seconds: number;
      /** Of the coordinator's process alone. */
      readonly cpuSeconds: number;
      readonly survivors: number;
      /** Seconds in each phase. */
      readonly phases: Readonly<Record<string, number>>;
      /** The largest resident set that was seen in each phase. */
      readonly memoryMB: Readonly<Record<string, number>>;
    }
  | { readonly kind: "done"; readonly maxMemoryMB: number; readonly attempts: number; readonly told: number };
