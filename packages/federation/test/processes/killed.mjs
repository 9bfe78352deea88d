// A coordinator or a site that kills itself, by SIGKILL, when it comes to a phase in an exchange; run by kills.test.ts.
//   node killed.mjs serve|join '{ options }' [PHASE EXCHANGE]
import { checkSpec, join, serve } from "@pliant/federation";

const [role, text, phase, exchange] = process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
const onPhase = (now, at) => {
  if (now === phase && at >= Number(exchange)) die();
};
const options = JSON.parse(text);
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
