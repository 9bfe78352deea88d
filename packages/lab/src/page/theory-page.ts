// The page of the paper's theory: its first figure, its learnability example, and every claim checked as a computation.
import { paperClaim } from "../paper/claims.js";
import type { TheoryReport } from "../theory/report.js";
import { markdown } from "./markdown.js";

export function theoryText({ equilibria, learnability, checks }: TheoryReport): string {
  const amounts = Object.keys(learnability[0].fixed);
  return [
    "# The paper's theory as numbers",
    "",
    "Written by `pliant reproduce theory`, in seconds on a CPU; all draws are seeded. [report.json](theory/report.json) holds every number.",
    "Tests repeat the propositions with a QP solver ([propositions.test.ts](../test/propositions.test.ts)) and the SVM with a second one",
    "([svm.test.ts](../../core/test/svm.test.ts)).",
    "",
    markdown({
      head: ["claim", "in the paper", "", "found"],
      body: checks.map(({ id, holds, found }) => {
        const { text, label } = paperClaim(id);
        return [text, `\`${label}\``, holds ? "holds" : "**fails**", found];
      }),
    }),
    "",
    "The bound of Proposition 5 fails as the proof states it, for two requirements or more: from a sum that is not positive it concludes",
    "that no term is. `theory.insistingAlpha` has the bound that follows.",
    "",
    "## First figure",
    "",
    "`fig_equilibrium`: where the sensitivity of each problem meets the slope of the cost, by Pliant's solver from gradients alone. The caption has",
    "h(u) = u²/2, with slope u; the paper's source draws the line u/2, and so do we.",
    "",
    markdown({
      head: ["problem", "u*", "λ*"],
      body: equilibria.map(({ label, u, price }) => [label, u.toFixed(4), price.toFixed(4)]),
    }),
    "",
    "![The three equilibria](figures/equilibrium.svg)",
    "",
    "## Learnability example",
    "",
    "`a:example`: shares of 4000 draws. The paper's bounds hold for all N; empirical constraints find the best model ever more rarely.",
    "",
    markdown({
      head: [
        "N",
        "resilient finds the best model",
        "empirical finds it",
        "empirical value within 1/64",
        ...amounts.map((u) => `relaxed by ${u}: within 1/64`),
      ],
      body: learnability.map(({ n, resilientPicksB, empiricalPicksB, empiricalWithin, fixed }) => [
        String(n),
        ...[
          resilientPicksB,
          empiricalPicksB,
          empiricalWithin,
          ...amounts.map((u) => fixed[Number(u)].within),
        ].map((share) => share.toFixed(4)),
      ]),
    }),
    "",
  ].join("\n");
}
