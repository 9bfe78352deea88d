// The worker inside the script of the page: a page opened from a disk may load no other.
import Thread from "./worker.ts?worker&inline";

export const openThread = (): Worker => new Thread();
