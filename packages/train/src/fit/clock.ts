// How long a run takes on the wall: what is read, tried, weighed and asked afterwards is no training, and its reader waits for all.

/** For the process that finished a run. */
export interface Seconds {
  /** Taking the steps of the report, and those of decays tried before it. */
  readonly training: number;
  /** From reading the data to the report. */
  readonly whole: number;
  /** It went on with what an earlier process had begun, whose time is not in it. */
  readonly resumed?: true;
}

export interface Clock {
  /** Counts what the work takes as training. */
  training<T>(work: Promise<T>): Promise<T>;
  /** The total; for a run that was already finished, its total at that time. */
  read(run: { readonly resumed?: boolean; readonly before?: Seconds }): Seconds;
}

export function clockFrom(began = performance.now()): Clock {
  let trained = 0;
  const seconds = (milliseconds: number): number => Math.round(milliseconds) / 1000;
  return {
    training: async (work) => {
      const from = performance.now();
      return work.finally(() => {
        trained += performance.now() - from;
      });
    },
    read: ({ resumed, before }) =>
      before ?? {
        training: seconds(trained),
        whole: seconds(performance.now() - began),
        ...(resumed && { resumed }),
      },
  };
}
