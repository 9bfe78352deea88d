// The same federation in the simulator, to compare with.
import { NdArray, reference } from "@pliant/engine";
import { type Pool, type SimulationState, simulate } from "@pliant/federated";
import { type FederationSpec, networkOptions } from "../spec/spec.js";

/** With all sites present in every exchange, a federation over a network comes to this, to the bit. */
export async function simulatedRun(spec: FederationSpec, tables: readonly Pool[]): Promise<SimulationState> {
  const { model, local, formulation, solver, communicationRounds, timing, seed, backend } = networkOptions(
    spec,
    reference(),
  );
  const width = spec.data.features.length;
  const rows = tables.reduce((sum, { y }) => sum + y.size, 0);
  const x = new Float32Array(rows * width);
  const y = new Int32Array(rows);
  let next = 0;
  const clients = tables.map((table) => {
    const first = next;
    x.set(table.x.data as Float32Array, first * width);
    y.set(table.y.data as Int32Array, first);
    next += table.y.size;
    return { train: Array.from(table.y.data, (_, i) => first + i) };
  });
  const { state } = await simulate({
    model,
    local,
    formulation,
    solver,
    communicationRounds,
    timing,
    seed,
    backend,
    data: { train: { x: new NdArray(x, [rows, width]), y: new NdArray(y, [rows]) }, clients },
    rounds: spec.training.rounds,
    ...(spec.sums.kind === "plain" ? { together: 1 } : { fixedPoint: { bound: spec.sums.bound } }),
  });
  return state;
}
