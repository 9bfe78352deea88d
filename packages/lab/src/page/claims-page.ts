// Every claim of the paper: whether it holds on record, in which cases, or that nothing here checks it.
import type { Claim } from "../items/item.js";
import { type PaperClaim, paperClaims } from "../paper/claims.js";
import { link, markdown } from "./markdown.js";
import { itemPage, type Section } from "./sections.js";

export type ClaimVerdict = "holds" | "fails" | "not checked";

interface Evidence extends Claim {
  readonly from: string;
  readonly page: string;
  /** In settings that the paper's numbers are not of: shown, not counted. */
  readonly aside: boolean;
}

export interface JudgedClaim extends PaperClaim {
  readonly verdict: ClaimVerdict;
  readonly evidence: readonly Evidence[];
}

/** Claims by what items and theory checks report of them. */
export function judgedClaims(sections: readonly Section[], theory: readonly Claim[]): JudgedClaim[] {
  const reported: Evidence[] = [
    ...theory.map((claim) => ({ ...claim, from: "theory", page: "theory.md", aside: false })),
    ...sections.flatMap((section) =>
      section.shown.claims.map((claim) => ({
        ...claim,
        from: section.item.name,
        page: itemPage(section),
        aside: section.item.aside ?? false,
      })),
    ),
  ];
  return paperClaims.map((claim) => {
    const evidence = reported.filter(({ id }) => id === claim.id);
    const counted = evidence.filter(({ aside }) => !aside);
    const checked = counted.length > 0 || claim.test !== undefined;
    const verdict = !checked ? "not checked" : counted.every(({ holds }) => holds) ? "holds" : "fails";
    return { ...claim, verdict, evidence };
  });
}

/** How many claims hold, fail and are not checked, in words. */
export function countedClaims(claims: readonly JudgedClaim[]): string {
  const count = (verdict: ClaimVerdict): number => claims.filter((claim) => claim.verdict === verdict).length;
  return `${count("holds")} hold, ${count("fails")} fail, ${count("not checked")} not checked`;
}

export function claimsText(claims: readonly JudgedClaim[]): string {
  return [
    "# The paper's claims",
    "",
    `${claims.length} claims that a run or a computation could refute: ${countedClaims(claims)}.`,
    "A claim holds where it holds in every case on record in the paper's settings; evidence from other settings is in italics.",
    "",
    markdown({
      head: ["claim", "in the paper", "", "evidence"],
      body: claims.map(({ text, label, verdict, evidence, test }) => [
        text,
        `\`${label}\``,
        verdict === "fails" ? "**fails**" : verdict,
        [
          ...evidence.map(({ from, page, found, holds, aside }) => {
            const verdict = `${link(from, page)}: ${holds ? "" : "no, "}${found}`;
            return aside ? `*${verdict}*` : verdict;
          }),
          ...(test === undefined ? [] : [`test: ${link(test.split("/").at(-1)!, `../../../${test}`)}`]),
        ].join("; "),
      ]),
    }),
    "",
  ].join("\n");
}
