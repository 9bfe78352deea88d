// That the simulator gives the same numbers on a back end however clients are grouped, and after a run was saved.
import type { Backend } from "@pliant/engine";
import {
  agnostic,
  type Formulation,
  fedPd,
  fedProx,
  qFair,
  ratioLoss,
  type SimulationState,
  type Solver,
  scaffold,
  simulate,
} from "@pliant/federated";
import { convnet } from "@pliant/learn";
import { decodeState, encodeState } from "@pliant/learn/runs";
import { expect, test } from "vitest";
import { distance, images } from "./problems.js";
import { base, priced } from "./small-federation.js";

export function sameOn(backend: Backend, tried: (title: string) => boolean = () => true): void {
  const cases: [
    string,
    { formulation?: Formulation; solver?: Solver; communicationRounds?: number; participation?: number },
  ][] = [
    ["resilient", { formulation: priced }],
    ["q-fair", { formulation: qFair({ q: 1 }), communicationRounds: 1 }],
    ["ratio loss", { formulation: ratioLoss() }],
    ["FedProx, agnostic", { formulation: agnostic({ dualRate: 0.5 }), solver: fedProx({ mu: 0.1 }) }],
    ["SCAFFOLD, two thirds of the clients", { formulation: priced, solver: scaffold(), participation: 4 }],
    ["FedPD", { formulation: priced, solver: fedPd({ eta: 1 }) }],
  ];
  test.each(cases.filter(([title]) => tried(title)))(
    "one by one, in groups and all at once agree: %s",
    async (_, options) => {
      const wanted = await simulate({ ...base, ...options, together: 1 });
      expect(wanted.state.step).toBe(3);
      for (const together of [1, 4, Infinity]) {
        const { state } = await simulate({ ...base, ...options, backend, together });
        expect(distance(state.params, wanted.state.params)).toBeLessThan(1e-4);
        expect(distance(state.prices, wanted.state.prices)).toBeLessThan(1e-4);
      }
    },
  );

  test("convolutions too", async () => {
    const pictures = images({ sizes: [5, 8, 3], channels: 1, size: 16, classes: 3 });
    const options = {
      ...base,
      model: convnet({ channels: 1, size: 16, outputs: 3, filters: 2, hidden: [4] }),
      data: pictures,
      formulation: priced,
    };
    const wanted = await simulate({ ...options, together: 1 });
    for (const together of [1, 2, Infinity]) {
      const { state } = await simulate({ ...options, backend, together });
      expect(distance(state.params, wanted.state.params)).toBeLessThan(1e-4);
    }
  });

  test.each([1, 4])("a saved run goes on to the same bits, %i together", async (together) => {
    const options = { ...base, formulation: priced, solver: scaffold(), backend, together };
    const whole = await simulate({ ...options, rounds: 4 });
    const half = await simulate({ ...options, rounds: 2 });
    const saved = decodeState<SimulationState>(Buffer.from(encodeState(half.state)), "half");
    const { state, evaluation } = await simulate({ ...options, rounds: 4, state: saved as never });
    expect(distance(state, whole.state)).toBe(0);
    expect(evaluation).toEqual(whole.evaluation);
  });
}
