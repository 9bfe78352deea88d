// What a federation must have come to, given who was counted in which exchange: the same clients and server, without a network.
import { reference } from "@pliant/engine";
import {
  type Contribution,
  fixedAverage,
  fixedSums,
  networkClient,
  networkServer,
  type Pool,
} from "@pliant/federated";
import {
  digest,
  encodeModel,
  type FederationSpec,
  firstPast,
  type Identity,
  type LedgerRow,
  namedDraws,
  networkOptions,
  privacyOf,
  shownHash,
} from "@pliant/federation";

export async function replayed(
  spec: FederationSpec,
  names: readonly string[],
  tables: readonly Pool[],
  rows: readonly Pick<LedgerRow, "survivors" | "shown" | "void">[],
  /** Whose noise it was, where records are private. */
  secret?: { readonly run: string; readonly identities: readonly Identity[] },
) {
  const told = networkOptions(spec, reference());
  const server = networkServer(told);
  const clients = tables.map((data, index) =>
    networkClient({ ...told, index, data, privacy: privacyOf(spec, data.y.size) }),
  );
  const draws = tables.map((data, c) => secret && namedDraws(secret.run, secret.identities[c], data));
  const states = clients.map((client) => client.init());
  let state = server.init();
  for (const [i, { survivors, shown, void: givenUp }] of rows.entries()) {
    if (givenUp) {
      state = { ...state, step: state.step + 1, exchange: 0, answers: [] };
      continue;
    }
    const model = digest(encodeModel({ update: state.params, shared: state.shared }));
    const past = rows[i - 1]?.shown.past ?? firstPast(secret?.run ?? "");
    const hash = shownHash({ ...state, answers: [...state.answers], model, past });
    const sent: [number, Contribution][] = [];
    for (const name of survivors) {
      const c = names.indexOf(name);
      const draw = draws[c]?.(hash, states[c]).draw;
      sent.push([c, (await clients[c].contribute(states[c], state, draw))!]);
    }
    const given = sent.map(([, contribution]) => contribution);
    const sums = given[0].sums && fixedSums({ bound: spec.sums.bound }, tables.length, given[0].sums);
    for (const { sums: more } of given) if (more) await sums?.add(more);
    state = await server.absorb(state, {
      sums: sums?.sums(),
      means: given[0].numbers.map((_, k) => fixedAverage(given.map(({ numbers }) => numbers[k]))),
      participants: survivors.length,
      present: shown.present,
    });
    for (const [c, { next }] of sent) states[c] = next;
  }
  return { model: digest(encodeModel({ update: state.params, shared: state.shared })), states };
}
