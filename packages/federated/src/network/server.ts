// The server that clients apart from each other share: the model, the mean price, and the averages of the round so far. It
// is handed sums over the participants of an exchange, and nothing else of theirs.

import { PliantError } from "@pliant/core";
import { mapTree, NdArray, readAll } from "@pliant/engine";
import { type Arrays, type Sums, zerosLike } from "../groups.js";
import { type Shared, serverRound } from "../server-round.js";
import { initialParams, type NetworkOptions, type Shown } from "./client.js";
import { checkNetwork, planned } from "./plan.js";

/** All a server is between exchanges: plain data. */
export interface ServerState extends Shown {
  /** What the server's optimiser remembers, where there is one; clients are not shown it. */
  readonly memory?: Arrays;
  /** Of the latest round whose losses, or whatever else sites are judged by, were summed. */
  readonly meanLoss?: number;
}

/** What an exchange came to. */
export interface Summed {
  /** Of updates, where any were asked for. */
  readonly sums?: Sums;
  /** Averages over the participants of the numbers that rode along. */
  readonly means: readonly number[];
  readonly participants: number;
  /** Clients that have not left for good; default: all. */
  readonly present?: number;
  /** Whether others take part than those that the mean price is over, though they may be as many. */
  readonly census?: boolean;
}

/**
 * λ̄ over the clients that are present, of which some took part: it moves by what those changed. Where all of them took part, or where
 * the roster is another than λ̄ was taken over, prices are summed anew: a census, of those who took part.
 */
export function nextMeanPrice(
  { meanPrice, over }: { readonly meanPrice: number; readonly over: number },
  {
    before,
    after,
    participants,
    present,
    census = false,
  }: Readonly<Record<"before" | "after" | "participants" | "present", number>> & {
    readonly census?: boolean;
  },
): number {
  if (census || participants === present || present !== over) return after;
  return meanPrice + ((after - before) * participants) / present;
}

/** The server of clients that are apart: a state to begin with, and the next one from each sum. */
export interface NetworkServer {
  init(): ServerState;
  absorb(state: ServerState, summed: Summed): Promise<ServerState>;
}

/** A server that sees nothing of its clients but sums. */
export function networkServer<P>(options: NetworkOptions<P>): NetworkServer {
  const { solver, server, backend, clients, serverRate, local } = options;
  checkNetwork(options);
  const plan = planned(options);
  const initial = initialParams(options);
  const move = serverRound({ solver, server, backend, clients, params: initial });

  return {
    init: () => ({
      step: 0,
      exchange: 0,
      params: initial,
      shared: solver.shares ? zerosLike(initial) : {},
      ...(server && { memory: server.init(initial) }),
      meanPrice: options.formulation.initialPrice,
      answers: [],
    }),
    absorb: async (state, { sums, means, participants, census, present: now = clients }) => {
      const { communication, numbers } = plan[state.exchange];
      const bad = means.findIndex((mean) => !Number.isFinite(mean));
      if (bad >= 0) throw new PliantError("A mean over the sites is not a finite number.");
      const meanOf = (what: (typeof numbers)[number]): number | undefined => means[numbers.indexOf(what)];
      const asked = numbers.findIndex((what) => typeof what === "object");
      const answers = asked >= 0 ? [...state.answers, means[asked]] : state.answers;
      const meanLoss = state.exchange === 0 ? means[0] : state.meanLoss;

      const [before, after] = [meanOf("price before"), meanOf("price after")];
      let { meanPrice, present = clients } = state;
      if (after !== undefined) {
        const changed = { before: before!, after, participants, present: now, census };
        meanPrice = nextMeanPrice({ meanPrice, over: present }, changed);
        present = now;
      }

      let moved: Shared = state;
      if (communication !== undefined) {
        const fair = meanOf("fair");
        const factor =
          fair === undefined
            ? serverRate / participants
            : serverRate * (1 / local.rate / (fair * participants));
        moved = await move(
          {
            params: onDevice(state.params),
            shared: onDevice(state.shared),
            memory: state.memory && onDevice(state.memory),
          },
          { update: onDevice(sums!.update), shared: onDevice(overPresent(sums!.shared, now)) },
          factor,
        );
      }
      const next = {
        params: await readAll(moved.params),
        shared: await readAll(moved.shared),
        ...(moved.memory !== undefined && { memory: await readAll(moved.memory) }),
        meanPrice,
        meanLoss,
        ...(present < clients && { present }),
      };
      const last = state.exchange + 1 === plan.length;
      return last
        ? { step: state.step + 1, exchange: 0, answers: [], ...next }
        : { step: state.step, exchange: state.exchange + 1, answers, ...next };
    },
  };

  /** The solver's second average is over those that are there, and is taken as over all. */
  function overPresent(tree: Arrays, now: number): Arrays {
    if (now === clients) return tree;
    return mapTree(
      tree,
      (leaf: NdArray) =>
        new NdArray(
          leaf.data.map((value) => (value * clients) / now),
          leaf.shape,
        ),
    );
  }

  function onDevice(tree: Arrays): Arrays {
    return mapTree(tree, (leaf: NdArray) => backend.put(leaf));
  }
}
