// How the charts of a page are looked at, alike for all of them and kept in the address: over steps or time, how smooth, how far in; which
// of them are logarithmic, and which are shown as a table.
import { route } from "../lib/route.svelte.js";
import type { Range } from "./lines.js";

export interface ChartView {
  readonly overTime: boolean;
  readonly smoothing: number;
  readonly zoom: Range | undefined;
  /** Where the reader points, by x. */
  cursor: number | undefined;
  isLogarithmic(title: string, otherwise: boolean): boolean;
  setOverTime(on: boolean): void;
  setSmoothing(weight: number): void;
  setZoom(range: Range | undefined): void;
  toggleLogarithmic(title: string, otherwise: boolean): void;
}

export const zoomFrom = (text: string | null): Range | undefined => {
  const [from, to] = (text ?? "").split("~").map(Number);
  return text && from < to ? [from, to] : undefined;
};
const zoomText = (range: Range | undefined): string =>
  range ? range.map((end) => Number(end.toPrecision(6))).join("~") : "";

const smoothingFrom = (text: string | null): number => {
  const weight = Number(text);
  return weight > 0 && weight < 1 ? weight : 0;
};

/** Titles in a setting of the address. */
const listed = (key: string): readonly string[] => route.current.query.getAll(key);
const toggle = (key: string, title: string): void => {
  const before = listed(key);
  route.setList(key, before.includes(title) ? before.filter((t) => t !== title) : [...before, title]);
};

/** Whether a figure is shown as a table, and the other way. */
export const isTable = (title: string): boolean => listed("table").includes(title);
export const toggleTable = (title: string): void => toggle("table", title);

export function chartView(): ChartView {
  let cursor = $state<number>();
  return {
    get overTime() {
      return route.current.query.get("x") === "time";
    },
    get smoothing() {
      return smoothingFrom(route.current.query.get("smooth"));
    },
    get zoom() {
      return zoomFrom(route.current.query.get("zoom"));
    },
    get cursor() {
      return cursor;
    },
    set cursor(at) {
      cursor = at;
    },
    // Charts that are logarithmic by themselves are named where they are linear.
    isLogarithmic: (title, otherwise) => listed(otherwise ? "linear" : "log").includes(title) !== otherwise,
    // A range of steps is none of seconds.
    setOverTime: (on) => route.set({ x: on ? "time" : "", zoom: "" }),
    setSmoothing: (weight) => route.set({ smooth: weight > 0 ? String(weight) : "" }),
    setZoom: (range) => route.set({ zoom: zoomText(range) }),
    toggleLogarithmic: (title, otherwise) => toggle(otherwise ? "linear" : "log", title),
  };
}
