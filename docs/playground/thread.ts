// The trainer's thread, inside the script of the page: a page that is opened from a disk may load no other.
import Thread from "../../packages/studio/page/src/playground/worker.ts?worker&inline";

export const openThread = (): Worker => new Thread();
