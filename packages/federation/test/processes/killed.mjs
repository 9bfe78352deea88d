// A coordinator or a site that kills itself, by SIGKILL, when it comes to a phase in an exchange; run by kills.test.ts.
//   node killed.mjs serve|join '{ options }' [PHASE EXCHANGE]
// A site with `absent` has this file from when it is killed until it is asked for something again; one with `waitsWhile` does not
// train while that file is there.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { checkSpec, join, serve } from "@pliant/federation";

const [role, text, phase, exchange] = process.argv.slice(2);
const { absent, waitsWhile, ...options } = JSON.parse(text);
const die = () => {
  if (absent) writeFileSync(absent, "");
  process.kill(process.pid, "SIGKILL");
};
const onPhase = (now, at) => {
  if (absent && now !== "idle") rmSync(absent, { force: true });
  while (waitsWhile && now === "training" && existsSync(waitsWhile))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  if (now === phase && at >= Number(exchange)) die();
};
if (role === "serve") {
  const spec = options.spec && checkSpec(options.spec);
  await serve({
    ...options,
    spec,
    onPhase,
    onListening: () => console.log("Listening"),
    onCommitted: ({ exchange: done }) => phase === "committed" && done >= Number(exchange) && die(),
  });
} else await join({ ...options, onPhase });
