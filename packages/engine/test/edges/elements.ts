// Operations on each element, at their edges.

import type { DType, Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { everyPair, everySize, everything, floats, numbers, type Use, use } from "./use.js";

const one = (name: string, dtypes: readonly DType[], f: (x: Tensor) => Tensor, detail?: string): Use =>
  use(name, dtypes, "61 | 2,37 | 0 | 2,0,3", ([x]) => f(x), { detail });

/** So many numbers of every size and both signs. */
const sweep = (name: string, f: (x: Tensor) => Tensor, detail?: string): Use =>
  use(name, floats, everySize, ([x]) => f(x), { detail });

const smooth = ["exp", "log", "log1p", "sqrt", "sin", "cos", "erf", "tanh", "sigmoid", "softplus"] as const;
const kinked = ["floor", "ceil", "round", "relu"] as const;

const two = (name: string, dtypes: readonly DType[]): Use[] => {
  return [everyPair, "61,1 61 | 2,0 2,1 | 0 1 | 0,3 -"].map((shapes) =>
    use(name, dtypes, shapes, ([a, b]) => a[name as "add"](b)),
  );
};

export const elementUses: readonly Use[] = [
  ...(["neg", "abs", "sign", "stopGradient"] as const).map((name) => one(name, numbers, (x) => x[name]())),
  ...[...smooth, ...kinked].map((name) => one(name, floats, (x) => x[name]())),
  ...smooth.map((name) => sweep(name, (x) => x[name]())),
  ...[3, -1.5, 0.3].map((e) => sweep("pow", (x) => x.pow(e), `of ${e}`)),
  ...[0.1, -0.5].map((slope) => one("leakyRelu", floats, (x) => x.leakyRelu(slope), `of ${slope}`)),
  one("clip", numbers, (x) => x.clip(-2, 3)),
  one("clip", numbers, (x) => x.clip(0, Infinity), "from below"),
  one("clip", numbers, (x) => x.clip(-Infinity, 1), "from above"),
  one("not", ["bool"], p.not),
  ...everything.map((to) => one("cast", everything, (x) => x.cast(to), `to ${to}`)),
  ...[0, 1, 2, 3, 0.5, -1, -0.5, 1.5].map((e) => one("pow", floats, (x) => x.pow(e), `of ${e}`)),
  ...["add", "sub", "mul", "div", "rem", "maximum", "minimum", "lt", "le", "gt", "ge"].flatMap((name) =>
    two(name, numbers),
  ),
  ...["eq", "ne"].flatMap((name) => two(name, everything)),
  ...["and", "or"].flatMap((name) => two(name, ["bool"])),
  ...two("pow", floats),
  use("where", everything, "61 61 61 | 3,1 3,7 7 | 0 0 - | 2,1 2,0 1,0", ([c, a, b]) => p.where(c, a, b), {
    as: ["bool"],
  }),
];
