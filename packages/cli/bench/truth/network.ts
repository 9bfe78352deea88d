// A dense network with one output and tanh between its layers, in float64: the loss of each example, and the slope of any
// weighted sum of them. Written out by hand, so that it shares nothing with the engine it is compared with.

export interface Examples {
  /** [N, features], standardised. */
  readonly x: readonly Float64Array[];
  /** 0 or 1; or of a number, deviations from its mean. */
  readonly y: Float64Array;
  readonly kind: "class" | "number";
}

/** Units of each layer from the inputs to the one output. */
export type Layers = readonly number[];

/** Weights [in, out] and then the bias of one layer after another. */
export const sizeOf = (layers: Layers): number =>
  layers.slice(1).reduce((total, out, l) => total + (layers[l] + 1) * out, 0);

const softplus = (z: number): number => Math.max(0, z) + Math.log1p(Math.exp(-Math.abs(z)));

export function network(layers: Layers, { x, y, kind }: Examples) {
  const n = y.length;
  const depth = layers.length - 1;
  const offsets = layers.slice(1).map((_, l) => sizeOf(layers.slice(0, l + 1)));
  const weightsOf = (l: number): number => layers[l] * layers[l + 1];
  // Room for what each layer gives, [N, units], and for its slope; the last of either is the score.
  const seen = layers.map((units) => new Float64Array(n * units));
  const slopes = layers.map((units) => new Float64Array(n * units));
  for (const [i, row] of x.entries()) seen[0].set(row, i * layers[0]);
  return {
    /** The slope is of the last parameters that were looked at. */
    at: (params: Float64Array) => {
      for (let l = 0; l < depth; l++) forward(params, l);
      const scores = seen[depth];
      const losses = Float64Array.from(scores, (z, i) =>
        kind === "class" ? softplus(z) - y[i] * z : (z - y[i]) ** 2,
      );
      const slope = (weights: Float64Array): Float64Array => {
        const found = new Float64Array(params.length);
        for (let i = 0; i < n; i++) {
          const own = kind === "class" ? 1 / (1 + Math.exp(-scores[i])) - y[i] : 2 * (scores[i] - y[i]);
          slopes[depth][i] = weights[i] * own;
        }
        for (let l = depth - 1; l >= 0; l--) backward(params, l, found);
        return found;
      };
      return { losses, slope };
    },
    /** Σ of squared weights, biases left out; `add` puts so many times its slope to another. */
    squares: (params: Float64Array) => {
      let squares = 0;
      for (let l = 0; l < depth; l++)
        for (let k = 0; k < weightsOf(l); k++) squares += params[offsets[l] + k] ** 2;
      const add = (slope: Float64Array, factor: number): void => {
        for (let l = 0; l < depth; l++)
          for (let k = 0; k < weightsOf(l); k++) slope[offsets[l] + k] += 2 * factor * params[offsets[l] + k];
      };
      return { squares, add };
    },
  };

  function forward(params: Float64Array, l: number): void {
    const [ins, outs, at, from, to] = [layers[l], layers[l + 1], offsets[l], seen[l], seen[l + 1]];
    for (let i = 0; i < n; i++)
      for (let o = 0; o < outs; o++) {
        let z = params[at + ins * outs + o];
        for (let k = 0; k < ins; k++) z += from[i * ins + k] * params[at + k * outs + o];
        to[i * outs + o] = l < depth - 1 ? Math.tanh(z) : z;
      }
  }

  function backward(params: Float64Array, l: number, found: Float64Array): void {
    const [ins, outs, at, from] = [layers[l], layers[l + 1], offsets[l], seen[l]];
    const [own, before] = [slopes[l + 1], slopes[l]];
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < ins; k++) {
        const value = from[i * ins + k];
        let back = 0;
        for (let o = 0; o < outs; o++) {
          found[at + k * outs + o] += value * own[i * outs + o];
          back += params[at + k * outs + o] * own[i * outs + o];
        }
        before[i * ins + k] = back * (1 - value * value);
      }
      for (let o = 0; o < outs; o++) found[at + ins * outs + o] += own[i * outs + o];
    }
  }
}
