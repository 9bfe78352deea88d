// How time passes: in ms, and never back, whatever is done to the clock on the wall.

/** Only differences of it mean anything. */
export const clock = (): number => performance.now();
