// Recurrent networks as scans over the first axis of a sequence [T, N, C], with PyTorch's weights and order of gates.
import { scan } from "../control/index.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { add, mul, sub } from "../ops/binary.js";
import { matmul } from "../ops/linear.js";
import { broadcastTo, transpose } from "../ops/movement.js";
import { sigmoid, tanh } from "../ops/unary.js";
import { lift, type Operand, scalar, type Tensor } from "../tensor.js";
import { split } from "./arrangement.js";

/** Weights of a recurrent layer of H units with g gates: from the input [gH, C], from the state [gH, H], biases [gH] of both. */
export interface RecurrentWeights {
  readonly input: Operand;
  readonly state: Operand;
  readonly inputBias?: Operand;
  readonly stateBias?: Operand;
}

/** The initial state (default: zeros), and the direction in which the sequence is read. */
export interface RecurrentOptions {
  readonly start?: Operand;
  readonly reverse?: boolean;
}

interface Layer {
  readonly inputs: Tensor;
  readonly units: number;
  readonly zeros: Tensor;
  /** The state's part of all gates. */
  fromState(h: Tensor): Tensor;
}

/** The input's part of the gates does not depend on the state: one product for the whole sequence. */
function layerOf(name: string, x: Operand, weights: RecurrentWeights, gates: number): Layer {
  const [sequence, w, u] = [lift(x), lift(weights.input), lift(weights.state)];
  const units = u.shape[u.rank - 1];
  const fits = sequence.rank === 3 && w.rank === 2 && u.rank === 2 && w.shape[0] === gates * units;
  if (!fits || u.shape[0] !== gates * units || w.shape[1] !== sequence.shape[2])
    throw new ShapeError(
      name,
      `a sequence [T, N, C] needs weights [${gates}·H, C] and [${gates}·H, H], got ${[sequence, w, u].map(showAval).join(", ")}`,
    );
  const biased = (y: Tensor, bias?: Operand): Tensor => (bias === undefined ? y : add(y, bias));
  return {
    inputs: biased(matmul(sequence, transpose(w)), weights.inputBias),
    units,
    zeros: broadcastTo(scalar(0, sequence.dtype), [sequence.shape[1], units]),
    fromState: (h) => biased(matmul(h, transpose(u)), weights.stateBias),
  };
}

/** All states [T, N, H] of h' = tanh(W·x + U·h + b), and the last. */
export function rnn(x: Operand, weights: RecurrentWeights, { start, reverse }: RecurrentOptions = {}) {
  const { inputs, zeros, fromState } = layerOf("rnn", x, weights, 1);
  const step = (h: Tensor, gate: Tensor) => {
    const next = tanh(add(gate, fromState(h)));
    return { state: next, record: next };
  };
  const { state, record } = scan(step, lift(start ?? zeros), inputs, { reverse });
  return { states: record, last: state as Tensor };
}

/** Long short-term memory (Hochreiter and Schmidhuber, 1997): all outputs [T, N, H], the last one, and the last cell. */
export function lstm(
  x: Operand,
  weights: RecurrentWeights,
  { start, cell, reverse }: RecurrentOptions & { readonly cell?: Operand } = {},
) {
  const { inputs, zeros, fromState } = layerOf("lstm", x, weights, 4);
  const step = ({ h, c }: { h: Tensor; c: Tensor }, gates: Tensor) => {
    const [i, f, g, o] = split(add(gates, fromState(h)), 4, -1);
    const kept = add(mul(sigmoid(f), c), mul(sigmoid(i), tanh(g)));
    const out = mul(sigmoid(o), tanh(kept));
    return { state: { h: out, c: kept }, record: out };
  };
  const first = { h: lift(start ?? zeros), c: lift(cell ?? zeros) };
  const { state, record } = scan(step, first, inputs, { reverse });
  return { states: record, last: state.h as Tensor, cell: state.c as Tensor };
}

/** Gated recurrent units (Cho et al., 2014): all states [T, N, H], and the last. */
export function gru(x: Operand, weights: RecurrentWeights, { start, reverse }: RecurrentOptions = {}) {
  const { inputs, zeros, fromState } = layerOf("gru", x, weights, 3);
  const step = (h: Tensor, gates: Tensor) => {
    const [r, z, n] = split(gates, 3, -1);
    const [hr, hz, hn] = split(fromState(h), 3, -1);
    const update = sigmoid(add(z, hz));
    const fresh = tanh(add(n, mul(sigmoid(add(r, hr)), hn)));
    const next = add(mul(sub(1, update), fresh), mul(update, h));
    return { state: next, record: next };
  };
  const { state, record } = scan(step, lift(start ?? zeros), inputs, { reverse });
  return { states: record, last: state as Tensor };
}
