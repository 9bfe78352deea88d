// The trainer's thread. A page that is opened from a disk has another: browsers load no worker from there.
export const openThread = (): Worker =>
  new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
