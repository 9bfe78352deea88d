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

/** What the server tells all clients, and how it averages. */
export interface Exchange {
  /** C, of all clients. */
  readonly clients: number;
  /** |S|, of those that take part in this round. */
  readonly participants: number;
  /** The average price of all clients, absent ones included. */
  readonly meanPrice: number;
  /** Over the participants. */
  readonly average: Average;
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
  /** The weights of the participants' updates in the server's average, from their duals and losses. */
  weigh(duals: Duals, losses: Vector, exchange: Exchange): Vector;
  /** The participants' duals after a round. */
  update(duals: Duals, losses: Vector, exchange: Exchange): Duals;
  /** The constraint level ε, where there is one: R_c − R̄ ≤ ε. */
  readonly level?: number;
  /** q of q-FedAvg, which has a server step of its own. */
  readonly fairness?: number;
  readonly classWeighting?: ClassWeighting;
}
