// What is said of a federation between machines: a coordinator knows how many sites gave way and not which, a site knows itself.
import type { WatchedCoordinator, WatchedSite } from "@pliant/federation";
import { number } from "../lib/format.js";
import type { Answer } from "./answers.js";

export type Networked = WatchedCoordinator | WatchedSite;

export function networkedHeadline(
  told: Networked | undefined,
): readonly [subject: string, rest: string] | undefined {
  if (!told) return undefined;
  const asked = told.requirement === "none" ? "no requirement" : told.requirement;
  if (told.role === "site") {
    if (told.requirement === "none") return [told.site, " was asked for no requirement."];
    return told.relaxation > 0
      ? [
          told.site,
          ` gave way by ${number(told.relaxation, 3)}, at a price of ${number(told.price, 3)}: asked ${asked}.`,
        ]
      : [told.site, ` did not have to give way: asked ${asked}.`];
  }
  const all = told.sites.length;
  if (told.requirement === "none")
    return [`${all} sites`, " trained one model; no requirement was asked of them."];
  if (!told.relaxations) return [`${all} sites`, ` are asked for ${asked} each.`];
  const giving = told.relaxations.sites.slice(1).reduce((a, b) => a + b, 0);
  return [
    giving === 0 ? "No site" : `${giving} of ${all} sites`,
    ` gave way: asked ${asked} each. Who, and by how much, stays with the sites.`,
  ];
}

export function networkedAnswers(told: Networked | undefined): Answer[] {
  if (told?.role !== "coordinator" || told.requirement === "none" || !told.relaxations) return [];
  const { upTo, sites } = told.relaxations;
  const all = told.sites.length;
  const giving = sites.slice(1).reduce((a, b) => a + b, 0);
  const most = sites.findLastIndex((count) => count > 0);
  const tone = giving === 0 ? "met" : "gave";
  const bound = upTo[most] ?? upTo.at(-1) ?? 0;
  return [
    {
      question: "What was asked",
      answer: `of each of ${all} sites`,
      detail: `${told.requirement}; it may give way at a cost`,
    },
    {
      question: "Did it hold",
      answer: `at ${all - giving} of ${all}`,
      detail: "as counted in the last sum",
      tone,
    },
    {
      question: "What gave way",
      answer:
        giving === 0
          ? "Nothing"
          : `${giving} site${giving === 1 ? "" : "s"}, ${most < upTo.length ? `by up to ${number(bound)}` : `one by more than ${number(bound)}`}`,
      detail: giving === 0 ? "no site gave way" : "which ones, and by how much exactly, stays with the sites",
      tone,
    },
    { question: "What it costs", answer: number(told.meanPrice, 3), detail: "the mean price over all sites" },
  ];
}
