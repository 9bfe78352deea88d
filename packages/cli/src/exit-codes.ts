// The exit codes of every command.

export const exitCodes = {
  /** Done; every hard requirement holds. */
  done: 0,
  /** Done; a hard requirement is violated. */
  violated: 1,
  /** The request is wrong: an option, a spec, a file. */
  usage: 2,
  /** The request is valid, but the work failed. */
  failed: 3,
  /** Another machine did not answer. */
  network: 4,
  /** Stopped by Ctrl-C or SIGTERM: 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const;
