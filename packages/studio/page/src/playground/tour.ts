// The playground explained in six captions, each with the setting it speaks of.
import type { Ask, Name } from "./problem.js";

export interface Caption {
  readonly title: string;
  readonly text: string;
  /** What the caption sets up. */
  readonly preset?: string;
  readonly asks?: Readonly<Record<Name, Ask>>;
}

export const plainAsks: Readonly<Record<Name, Ask>> = {
  "sick missed": { level: 0.1, alpha: 1, hard: false },
  "false alarms": { level: 0.1, alpha: 1, hard: false },
};

export const tour: readonly Caption[] = [
  {
    title: "Two kinds of people, one test",
    text: "Orange people are sick, blue ones well. A model learns where to draw the line: the shading is how sure it is. It is training now, in this page.",
    preset: "overlap",
    asks: plainAsks,
  },
  {
    title: "You ask for more than can be had",
    text: "Miss at most 10% of the sick, and alarm at most 10% of the well. The clouds overlap, so no line does both. Insisting on both has no answer.",
    preset: "overlap",
    asks: plainAsks,
  },
  {
    title: "So requirements give way, by as much as it pays",
    text: "In each picture the blue line is what one more unit of giving way costs, the red curve what it gains. Where they meet is the equilibrium: the relaxation u* and the price λ*.",
    preset: "overlap",
    asks: plainAsks,
  },
  {
    title: "Make giving way dearer",
    text: "Here giving way on missed sick costs eight times as much. The blue line is steeper: fewer sick are missed, their price rises, and more of the well are alarmed. Move the slider yourself.",
    preset: "overlap",
    asks: {
      "sick missed": { level: 0.1, alpha: 8, hard: false },
      "false alarms": { level: 0.1, alpha: 1, hard: false },
    },
  },
  {
    title: "Insist, and read what it costs",
    text: "“Must not bend” holds false alarms at 10% exactly. Its price is now what insisting costs: about that much loss per unit of level. Tick both boxes and the prices grow without end.",
    preset: "overlap",
    asks: {
      "sick missed": { level: 0.1, alpha: 1, hard: false },
      "false alarms": { level: 0.1, alpha: 1, hard: true },
    },
  },
  {
    title: "Now it is yours",
    text: "Draw people into the square, move levels and costs, try the other sets. Where the clouds are apart every requirement is met, and every price is 0.",
    preset: "rare",
    asks: plainAsks,
  },
];
