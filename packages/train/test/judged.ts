// One requirement of a report, certified or not, and what is said of it.
import { unitOf } from "../src/questions/answers.js";
import { headline, type Judgement, type RequirementWords, sentences } from "../src/report/sentences.js";

export const certified = { holds: true, short: [] };
export const moving = { holds: false, short: ["the model is still moving: more steps may settle it"] };

/** Met at its level, at no price. */
export const plain: RequirementWords = {
  sense: "at most",
  level: 0.1,
  reached: 0.1,
  relaxation: 0,
  price: 0,
  allowance: 0,
  status: "met",
  pricedBy: "loss",
  quoted: unitOf("rate", 0.1),
};

export const judged = (
  more: Partial<RequirementWords>,
  certificate: Judgement["certificate"] = certified,
): Judgement => ({
  certificate,
  requirements: { misses: { ...plain, ...more } },
});

/** Its sentence, and the first line. */
export const told = (more: Partial<RequirementWords>, certificate?: Judgement["certificate"]): string =>
  sentences(judged(more, certificate))[0];
export const first = (more: Partial<RequirementWords>, certificate?: Judgement["certificate"]): string =>
  headline(judged(more, certificate));
