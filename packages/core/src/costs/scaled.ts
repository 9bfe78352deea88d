// A cost times a factor: what an α-sweep changes. The functions follow from those of the cost itself.
import type { Tensor } from "@pliant/engine";
import { positive } from "../errors.js";
import { type Cost, isBuiltIn, known } from "./cost.js";
import { free, hard } from "./linear.js";
import { beside } from "./weight.js";

/** factor·h, for a number or one that is traced. The larger the factor, the nearer to `hard`; `hard` and `free` stay as they are. */
export function scaled(cost: Cost, factor: number | Tensor): Cost {
  if (typeof factor === "number") positive("scaled: the factor", factor);
  if (cost === hard || cost === free) return cost;
  const times: Cost = {
    name: typeof factor === "number" ? `${factor} × ${cost.name}` : cost.name,
    separable: cost.separable,
    value: (u) => cost.value(u).mul(factor),
    gradient: (u) => cost.gradient(u).mul(factor),
    conjugateGradient: (lambda) => cost.conjugateGradient(lambda.div(factor)),
    conjugate: (lambda) => cost.conjugate(lambda.div(factor)).mul(factor),
    prox: (v, t) => cost.prox(v, beside(v, t).mul(factor)),
    projectDual: (lambda) => cost.projectDual(lambda.div(factor)).mul(factor),
  };
  return isBuiltIn(cost) ? known(times) : times;
}
