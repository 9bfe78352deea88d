// How convolutions, normalisations, attention and recurrent layers are called.
import type { Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { type Call, type Draw, ranked } from "./draw.js";
import { images } from "./primitives.js";

const sequence = (d: Draw): Tensor => d.float(ranked(3, 3), [d.pick(3), d.among([0, 2, 4]), 2 + d.pick(4)]);

/** Weights of a recurrent layer with so many gates, for inputs of so many columns. */
const recurrent = (d: Draw, gates: number, columns: number): { h: number; weights: p.RecurrentWeights } => {
  const h = 1 + d.pick(2);
  const input = d.fresh([gates * h, columns], d.real);
  const state = d.fresh([gates * h, h], d.real);
  if (d.chance(2)) return { h, weights: { input, state } };
  const [inputBias, stateBias] = [0, 1].map(() => d.fresh([gates * h], d.real));
  return { h, weights: { input, state, inputBias, stateBias } };
};

const steps = (d: Draw): Tensor => d.fresh([d.pick(4), 1 + d.pick(2), 1 + d.pick(2)], d.real);

export const layerCalls: Readonly<Record<string, Call>> = {
  conv1d: (d) => {
    const x = sequence(d);
    const groups = d.among([1, 2].filter((g) => x.shape[1] % g === 0));
    const kernel = d.fresh([2, x.shape[1] / groups, Math.min(x.shape[2], 1 + d.pick(3))], x.dtype);
    const padding = d.among<p.Conv1dOptions["padding"]>([0, 1, [1, 0], "same", "valid"]);
    return p.conv1d(x, kernel, { groups, padding, stride: 1 + d.pick(2), dilation: 1 + d.pick(2) });
  },
  conv3d: (d) => {
    const x = d.fresh([1 + d.pick(2), 2, 2 + d.pick(2), 3, 2], d.real);
    const groups = d.among([1, 2]);
    const kernel = d.fresh([2, 2 / groups, 1 + d.pick(2), 2, 1], d.real);
    return p.conv3d(x, kernel, { groups, stride: 1 + d.pick(2), padding: d.pick(2) });
  },
  convTranspose2d: (d) => {
    const x = images(d);
    const groups = d.among([1, 2].filter((g) => x.shape[1] % g === 0));
    const kernel = d.fresh([x.shape[1], 1 + d.pick(2), 1 + d.pick(3), 1 + d.pick(3)], x.dtype);
    const stride = 1 + d.pick(3);
    return p.convTranspose2d(x, kernel, { groups, stride, padding: d.pick(2), extra: d.pick(stride) });
  },
  maxPool1d: (d) => p.maxPool1d(sequence(d), { window: 2, stride: 1 + d.pick(2) }),
  avgPool1d: (d) => p.avgPool1d(sequence(d), { window: 2, padding: d.pick(2) }),
  layerNorm: (d) => {
    const x = d.float(ranked(1, 3), [2, 3]);
    const scale = d.fresh([x.shape[x.rank - 1]], x.dtype);
    return d.chance(2) ? p.layerNorm(x) : p.layerNorm(x, { scale, shift: scale, epsilon: 0.1 });
  },
  rmsNorm: (d) => p.rmsNorm(d.float(ranked(1, 3), [2, 3])),
  groupNorm: (d) => p.groupNorm(sequence(d), d.among([1, 2])),
  batchNorm: (d) => {
    const x = sequence(d);
    const [mean, scale, shift] = [0, 1, 2].map(() => d.fresh([x.shape[1]], x.dtype));
    if (d.chance(2)) return p.batchNorm(x, { scale, shift });
    return p.batchNorm(x, { mean, variance: scale.mul(scale), scale, shift });
  },
  batchStatistics: (d) => p.batchStatistics(sequence(d)).variance,
  embedding: (d) =>
    p.embedding(d.float(ranked(2, 2), [3, 2]), d.find("int32", ranked(0, 2), d.shape(d.pick(3)))),
  attention: (d) => {
    const lead = d.shape(d.pick(2));
    const [n, m, size] = [d.pick(3), 1 + d.pick(3), 1 + d.pick(2)];
    const [q, k] = [d.fresh([...lead, n, size], d.real), d.fresh([...lead, m, size], d.real)];
    const mask = d.chance(3) ? d.fresh([n, m], "bool") : undefined;
    return p.attention(q, k, d.fresh([...lead, m, 2], d.real), { causal: d.chance(2), mask });
  },
  dropout: (d) => p.dropout(d.float(), d.among([0, 0.3, 0.9]), d.fresh([2], "int32")),
  rnn: (d) => {
    const x = steps(d);
    const { weights } = recurrent(d, 1, x.shape[2]);
    return p.rnn(x, weights, { reverse: d.chance(2) }).states;
  },
  lstm: (d) => {
    const x = steps(d);
    const { weights } = recurrent(d, 4, x.shape[2]);
    const { states, cell } = p.lstm(x, weights, { reverse: d.chance(2) });
    return d.chance(2) ? states : cell;
  },
  gru: (d) => {
    const x = steps(d);
    const { h, weights } = recurrent(d, 3, x.shape[2]);
    const start = d.chance(2) ? undefined : d.fresh([x.shape[1], h], d.real);
    const { states, last } = p.gru(x, weights, { start });
    return d.chance(2) ? states : last;
  },
};
