// What a federation optimises, told as what each client does with its own loss and what the server averages. A server
// learns nothing of its clients' numbers but averages; every function here reaches them through `average` alone.

/** Numbers of clients, one each. A client on its own passes vectors of length one. */
export type Vector = readonly number[];

/** The server's side of an exchange: the average of what the participants send. */
export type Average = (values: Vector) => number;

/** What each client keeps: its price λ_c and its relaxation u_c. */
export interface Duals {
  readonly prices: Vector;
  readonly relaxations: Vector;
}

/** What a client has measured on its own samples. */
export interface Measured {
  readonly loss: number;
  /** NaN where the model does not choose among classes. */
  readonly accuracy: number;
  /** NaN without a metric of one's own. */
  readonly metric: number;
}

/** One number of a client from its own measurements. */
export type Judged = (own: Measured) => number;

/** Where that comes to no number. */
export const notJudged = (formulation: string, who: string): string =>
  `"${formulation}" judges clients by a number that ${who} does not have: it is not finite. Accuracies need classes, and a metric of one's own must be given.`;

/** The share of its samples that the model gets wrong. */
export const errorRate: Judged = ({ accuracy }) => 1 - accuracy;

/** The mean of the metric of one's own (`metric` of a simulation). */
export const ownMetric: Judged = ({ metric }) => metric;

/** What the server tells all clients. */
export interface Told {
  /** C, of all clients. */
  readonly clients: number;
  /** |S|, of those that take part in this round. */
  readonly participants: number;
  /** The average price of all clients, absent ones included. */
  readonly meanPrice: number;
  /** n_c over the participants' mean, of each of them, where samples count alike and not clients. */
  readonly shares?: Vector;
}

/** What the server tells all clients, and how it averages. */
export interface Exchange extends Told {
  /** Over the participants. */
  readonly average: Average;
}

/**
 * A computation of clients that needs averages: it yields what each of them sends, and is handed the average. A simulator
 * drives all clients at once; a client in a network drives its own, and every yield is a sum over the participants.
 */
export type Asking<Answer> = Generator<Vector, Answer, number>;

/** The answer, where all clients are at hand. */
export function answered<Answer>(asking: Asking<Answer>, average: Average): Answer {
  let next = asking.next();
  while (!next.done) next = asking.next(average(next.value));
  return next.value;
}

/** Class weights of the local losses, found at the server on samples of its own (see `ratioLoss`). */
export interface ClassWeighting {
  /** The samples of each class in the server's auxiliary set. */
  readonly perClass: number;
  readonly strength: number;
}

/** One way to weigh clients against each other. */
export interface Formulation {
  readonly name: string;
  /** λ_c at the start. */
  readonly initialPrice: number;
  /** What stands for the loss R_c in `weigh` and `update`; training follows the loss all the same. */
  readonly judged?: Judged;
  /** Why clients cannot count by their samples, if so. */
  readonly refusesShares?: string;
  /** The weights of the participants' updates in the server's average, from their duals and losses. */
  weigh(duals: Duals, losses: Vector, told: Told): Vector;
  /** The participants' duals after a round. */
  update(duals: Duals, losses: Vector, exchange: Exchange): Duals;
  /** The same, asking for one average after another. Without it a formulation runs in the simulator alone. */
  readonly revising?: Revising;
  /** Why it cannot run where clients are apart, if so. */
  readonly refusesNetwork?: string;
  /** The constraint level ε, where there is one: R_c − R̄ ≤ ε. */
  readonly level?: number;
  /** q of q-FedAvg, which has a server step of its own. */
  readonly fairness?: number;
  readonly classWeighting?: ClassWeighting;
}

/** How clients that meet in a network update their duals. */
export interface Revising {
  /** How many averages are asked for, whatever the numbers; if any, the first is that of the losses. */
  readonly asks: number;
  revise(duals: Duals, losses: Vector, told: Told): Asking<Duals>;
}

/** An update for clients at hand and for those in a network, from one text. */
export const revisedBy = (
  asks: number,
  revise: Revising["revise"],
): Pick<Formulation, "update"> & { readonly revising: Revising } => ({
  revising: { asks, revise },
  update: (duals, losses, { average, ...told }) => answered(revise(duals, losses, told), average),
});

/** Duals that no round changes. */
export const unchanged = revisedBy(0, function* (duals) {
  yield* [];
  return duals;
});
