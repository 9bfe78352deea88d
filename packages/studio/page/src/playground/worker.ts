// The trainer on a thread of its own, so that the page stays alive.
import { type Asked, createTrainer } from "./trainer.js";

const train = createTrainer((message) => postMessage(message));
addEventListener("message", ({ data }: MessageEvent<Asked>) => train(data));
