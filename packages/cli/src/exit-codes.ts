// The exit codes of every command.

export const exitCodes = {
  /** The work is done, and every requirement that must hold does. */
  done: 0,
  /** The work is done, and a requirement that must hold is violated. */
  violated: 1,
  /** The request is wrong: an option, a spec, a file. */
  usage: 2,
  /** The request is right and the work failed. */
  failed: 3,
  /** Another machine did not answer. */
  network: 4,
  /** Stopped by Ctrl-C or SIGTERM: 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;
