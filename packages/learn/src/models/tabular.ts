// A network for the columns of a table: dense layers, with what columns ask for.
//
//   – A category with many values is one input, the index of its value, or −1 if missing. The network learns a vector for each
//     value and one for missing: the weight and the bias of a first layer.
//   – Monotone by construction. Outputs do not fall with an input whose weights into the first layer are squares, where the weights of all
//     further layers are squares too and activations rise; they do not rise where the first are negative squares. Every second
//     unit is turned around, −a(−s), so that relu gives concave functions too; tanh is the same either way. With one hidden layer of
//     tanh this loses no generality: a unit with a negative weight is its mirror image with a positive one.
//   – Normalised: the sums of a hidden layer are centred and scaled over its units, before the activation.
//   – Dropout: a share of the hidden units is left out of each training step.

import { InputError, inTraining } from "@pliant/core";
import { array, concat, constant, type NdArray, type Tensor, uniformFrom, where } from "@pliant/engine";
import type { Draws } from "../draws.js";
import { drawAffine } from "../initialisers.js";
import { type Activation, activation } from "../layers/activations.js";
import { dense } from "../layers/dense.js";
import type { Affine, Traced } from "../layers/layer.js";
import type { Model, Params } from "./model.js";

/** The sizes of a `tabular` model, and the special kinds of its inputs. */
export interface TabularOptions {
  /** Features per row. */
  readonly inputs: number;
  readonly hidden: readonly number[];
  readonly outputs: number;
  readonly activation?: Activation;
  /** Inputs that are indices of categories: the number of values, and the length of each vector. */
  readonly embedded?: readonly { readonly input: number; readonly values: number; readonly width: number }[];
  /** By input: 1 if outputs must not fall with it, −1 if they must not rise. */
  readonly monotone?: ReadonlyMap<number, 1 | -1>;
  readonly normalised?: boolean;
  /** The share of hidden units that a training step leaves out. */
  readonly dropout?: number;
}

/** A model of table rows, with its constrained weights and dropout. */
export interface Tabular extends Model<Params> {
  /** Applies dropout only if given the key of a training step. */
  apply(params: Traced<Params>, x: Tensor, key?: Tensor): Tensor;
  /** The effective weights, after the constraints. */
  weights(params: Traced<Params>): Tensor[];
}

/** Takes rows [N, inputs]. */
export function tabular({
  inputs,
  hidden,
  outputs,
  activation: name = "tanh",
  embedded = [],
  monotone = new Map(),
  normalised = false,
  dropout = 0,
}: TabularOptions): Tabular {
  if (monotone.size > 0 && normalised)
    throw new InputError("a network that is normalised over its units cannot be monotone by construction.");
  const places = [...embedded].sort((a, b) => a.input - b.input);
  const sizes = [places.reduce((sum, { width }) => sum + width - 1, inputs), ...hidden, outputs];
  const layers = sizes.slice(1).map((n, i) => dense({ inputs: sizes[i], outputs: n }));
  const signs = signsOf(inputs, places, monotone);
  const rises = activation(name);
  const between = (sums: Tensor): Tensor => {
    const own = normalised ? overUnits(sums) : sums;
    return monotone.size > 0 ? bothWays(own, rises) : rises(own);
  };
  const applied = (params: Traced<Params>): Affine<Tensor>[] => {
    const own = params.slice(places.length);
    if (monotone.size === 0) return [...own];
    return own.map(({ weight, bias }, i) => ({
      weight: i > 0 ? weight.pow(2) : where(signs.eq(0), weight, weight.pow(2).mul(signs)),
      bias,
    }));
  };
  return {
    name: "tabular",
    init: (draws) => {
      const vectors = places.map(({ values, width }) => vectorsOf(draws, values, width));
      const own = layers.map((layer) => layer.init(draws));
      return [
        ...vectors,
        ...(monotone.size > 0 ? own.map(({ weight, bias }) => ({ weight: roots(weight), bias })) : own),
      ];
    },
    apply: (params, x, key) => {
      const own = applied(params);
      const drop = key && dropout > 0 ? dropping(key, { rows: x.shape[0], hidden, dropout }) : undefined;
      return layers.reduce((h, layer, i) => {
        if (i === 0) return layer.apply(own[0], withVectors(x, params, places));
        const units = between(h);
        return layer.apply(own[i], drop ? drop(units, i - 1) : units);
      }, x);
    },
    weights: (params) => [...params.slice(0, places.length), ...applied(params)].map(({ weight }) => weight),
  };
}

type Places = NonNullable<TabularOptions["embedded"]>;

/** Small, so that rare values have little effect. */
const vectorsOf = (draws: Draws, values: number, width: number): Affine =>
  drawAffine(
    draws,
    { weight: [values, width], bias: [width], initialiser: "fanIn" },
    { fanIn: 100, fanOut: width },
  );

/** The square roots of the drawn magnitudes, because weights are squares. */
const roots = ({ data, shape, dtype }: NdArray): NdArray =>
  array(
    data.map((w) => Math.sqrt(Math.abs(w))),
    { shape, dtype },
  );

/** The direction of each input of the first layer: 1, −1, or 0 if unconstrained; [in, 1]. */
function signsOf(inputs: number, places: Places, monotone: ReadonlyMap<number, 1 | -1>): Tensor {
  const signs = Array.from({ length: inputs }, (_, input) => {
    const width = places.find((place) => place.input === input)?.width ?? 1;
    return new Array<number>(width).fill(monotone.get(input) ?? 0);
  });
  return constant(array(signs.flat())).expandDims(1);
}

/** The rows with each index replaced by its vector. */
function withVectors(x: Tensor, params: Traced<Params>, places: Places): Tensor {
  if (places.length === 0) return x;
  const rows = x.shape[0];
  const parts: Tensor[] = [];
  let from = 0;
  const upTo = (input: number): void => {
    if (input > from) parts.push(x.slice([[], [from, input]]));
  };
  for (const [i, { input }] of places.entries()) {
    upTo(input);
    from = input + 1;
    const place = x
      .slice([[], [input, from]])
      .reshape([rows])
      .cast("int32");
    const { weight, bias } = params[i];
    parts.push(where(place.ge(0).expandDims(1), weight.gather(place.maximum(0)), bias.expandDims(0)));
  }
  upTo(x.shape[1]);
  return concat(parts, 1);
}

const overUnits = (sums: Tensor): Tensor => {
  const centred = sums.sub(sums.mean({ axis: -1, keepDims: true }));
  return centred.div(centred.pow(2).mean({ axis: -1, keepDims: true }).add(1e-5).sqrt());
};

function bothWays(sums: Tensor, rises: (x: Tensor) => Tensor): Tensor {
  const units = sums.shape[sums.rank - 1];
  const way = constant(array(Array.from({ length: units }, (_, i) => (i % 2 === 0 ? 1 : -1))));
  return rises(sums.mul(way)).mul(way);
}

/** Inverted dropout: dropped units are 0, and the others are scaled up. */
function dropping(
  key: Tensor,
  { rows, hidden, dropout }: { rows: number; hidden: readonly number[]; dropout: number },
): (units: Tensor, layer: number) => Tensor {
  const all = hidden.reduce((a, b) => a + b, 0);
  const drawn = uniformFrom(key, [rows, all]);
  const training = inTraining(key);
  return (units, layer) => {
    const from = hidden.slice(0, layer).reduce((a, b) => a + b, 0);
    const kept = drawn.slice([[], [from, from + hidden[layer]]]).ge(dropout);
    return where(training, where(kept, units.div(1 - dropout), 0), units);
  };
}
