// The playground explained in six captions, each with the setting it speaks of. What a caption claims it reads from the numbers
// counted on the page, so that it cannot say what they do not.
import type { Ask, Name } from "./problem.js";
import type { Standing } from "./trainer.js";

/** What the model came to: the setting of the caption before, where it was trained to rest, and this one. */
export interface Seen {
  readonly asks: Readonly<Record<Name, Ask>>;
  readonly now: Readonly<Record<Name, Standing>>;
  readonly before?: Readonly<Record<Name, Standing>>;
}

export interface Caption {
  readonly title: string;
  /** What is set up. */
  readonly text: string;
  /** What came of it. */
  readonly claim: (seen: Seen) => string;
  readonly preset: string;
  readonly asks: Readonly<Record<Name, Ask>>;
}

const asks = (missed: Partial<Ask> = {}, alarms: Partial<Ask> = {}): Readonly<Record<Name, Ask>> => ({
  "sick missed": { level: 0.1, alpha: 1, hard: false, ...missed },
  "false alarms": { level: 0.1, alpha: 1, hard: false, ...alarms },
});

export const plainAsks = asks();

const percent = (x: number): string => `${(100 * x).toFixed(1)}%`;
const holds = ({ asks, now }: Seen, name: Name): boolean => now[name].strict <= asks[name].level + 1e-9;
const subjects: Readonly<Record<Name, string>> = {
  "sick missed": "of the sick are missed",
  "false alarms": "of the well are alarmed",
};
const counted = ({ now }: Seen, name: Name): string => `${percent(now[name].strict)} ${subjects[name]}`;
const both = (seen: Seen): string =>
  `Counted, ${counted(seen, "sick missed")} and ${counted(seen, "false alarms")}`;

const verdict = (seen: Seen): string => {
  const [missed, alarms] = [holds(seen, "sick missed"), holds(seen, "false alarms")];
  if (missed && alarms) return "both hold";
  if (!missed && !alarms) return "both give way";
  return missed ? "the first holds, the second gives way" : "the first gives way, the second holds";
};

/** "fell from 8.3% to 5.0%", "stayed at 8.3%". */
function moved(from: number, to: number, show: (x: number) => string): string {
  if (show(from) === show(to)) return `stayed at ${show(to)}`;
  return `${to < from ? "fell" : "rose"} from ${show(from)} to ${show(to)}`;
}
const price = (x: number): string => x.toFixed(2);

export const tour: readonly Caption[] = [
  {
    title: "Two kinds of people, one test",
    text: "Orange people are sick, blue ones well. A model learns where to draw the line: the shading is how sure it is. It is training now, in this page. At most 30% of each kind may be taken for the other.",
    claim: (seen) => `${both(seen)}: ${verdict(seen)}.`,
    preset: "overlap",
    asks: asks({ level: 0.3 }, { level: 0.3 }),
  },
  {
    title: "Ask for more",
    text: "Now miss at most 10% of the sick, and alarm at most 10% of the well. The clouds overlap.",
    claim: (seen) => `${both(seen)}: ${verdict(seen)}.`,
    preset: "overlap",
    asks: plainAsks,
  },
  {
    title: "Requirements give way, by as much as it pays",
    text: "In each picture the blue line is what one more unit of giving way costs, the red curve what it gains. Where they meet is the equilibrium. Here giving way costs twice as much as before.",
    claim: ({ now, before }) => {
      const at = `Missed sick are given ${now["sick missed"].relaxation.toFixed(3)}, at a price of ${price(now["sick missed"].price)}`;
      return before
        ? `${at}: the price ${moved(before["sick missed"].price, now["sick missed"].price, price)}.`
        : `${at}.`;
    },
    preset: "overlap",
    asks: asks({ alpha: 2 }, { alpha: 2 }),
  },
  {
    title: "Make one of them dearer",
    text: "Giving way on missed sick now costs eight times as much as giving way on alarms. Move the slider yourself.",
    claim: (seen) => {
      const { now, before } = seen;
      if (!before) return `${both(seen)}.`;
      const [missed, alarms] = [now["sick missed"], now["false alarms"]];
      return `Counted, the share of the sick that is missed ${moved(before["sick missed"].strict, missed.strict, percent)}, that of the well who are alarmed ${moved(before["false alarms"].strict, alarms.strict, percent)}; the price of missing the sick ${moved(before["sick missed"].price, missed.price, price)}.`;
    },
    preset: "overlap",
    asks: asks({ alpha: 8 }),
  },
  {
    title: "Insist, and read what it costs",
    text: "“Must not bend” insists on the false alarms. Tick both boxes to insist on both.",
    claim: (seen) =>
      `Counted, ${counted(seen, "false alarms")}: it ${holds(seen, "false alarms") ? "holds" : "does not hold"}, at a price of ${price(seen.now["false alarms"].price)} of loss per unit of level; ${counted(seen, "sick missed")}.`,
    preset: "overlap",
    asks: asks({}, { hard: true }),
  },
  {
    title: "Now it is yours",
    text: "Draw people into the square, move levels and costs, try the other sets. These are few sick among many well.",
    claim: (seen) => `${both(seen)}: ${verdict(seen)}.`,
    preset: "rare",
    asks: plainAsks,
  },
];
