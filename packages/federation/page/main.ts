// The page of a site in a tab: what it is asked for, what it has, and what it gave way.
import type { Asked, Said } from "./said.js";

const at = (id: string): HTMLElement => document.getElementById(id)!;
const tell = (id: string, text: string): void => {
  at(id).textContent = text;
};
const fixed = (value: number): string => value.toFixed(4);

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const ask = (asked: Asked): void => worker.postMessage(asked);
let classes: readonly string[] = [];

const phases: Record<string, string> = {
  idle: "waiting for the coordinator",
  training: "training on this table",
  ready: "trained; waiting for the others",
  shared: "sharing keys with the others",
  uploaded: "sent its masked update",
  agreed: "agreed on who is in the sum",
  revealed: "helped to open the sum",
  refused: "sits this attempt out",
  finished: "finished",
};

worker.onmessage = ({ data }: MessageEvent<Said>) => {
  if (data.kind === "invited") {
    classes = data.classes;
    tell("name", `${data.site} in ${data.federation}`);
    tell(
      "wanted",
      `${data.features.join(", ")}; ${data.label}${data.classes.length > 0 ? `: ${data.classes.join(" or ")}` : ""}`,
    );
    tell("requirement", data.requirement);
    at("choose").hidden = false;
  } else if (data.kind === "table") {
    const counts = classes.map((name, i) => `${data.counts[i]} ${name}`).join(", ");
    tell("table", `${data.name}: ${data.rows} rows, ${counts}`);
  } else if (data.kind === "phase") {
    at("choose").hidden = true;
    document.body.dataset.phase = data.phase;
    tell("phase", phases[data.phase] ?? data.phase);
  } else if (data.kind === "counted") {
    tell("counted", `${data.times} of ${data.of} sums`);
    tell("price", fixed(data.price));
    tell("relaxation", fixed(data.relaxation));
    if (data.loss !== undefined) tell("loss", fixed(data.loss));
    if (data.spent) {
      const { epsilon, budget, delta } = data.spent;
      tell("privacy", `ε ${epsilon.toFixed(2)} of ${budget} at δ ${delta}`);
    }
  } else if (data.kind === "note") tell("note", data.text);
  else if (data.kind === "done") {
    Object.assign(document.body.dataset, {
      phase: "done",
      price: String(data.price),
      relaxation: String(data.relaxation),
      model: data.model,
    });
    tell("phase", "done: the federation is over");
    tell("price", fixed(data.price));
    tell("relaxation", fixed(data.relaxation));
  } else {
    tell("note", data.why);
    if (data.final) {
      at("choose").hidden = true;
      document.body.dataset.phase = "ended";
      tell("phase", "stopped");
    }
  }
};

const code = decodeURIComponent(location.hash.slice(1));
if (code === "") tell("note", "Open the whole link that pliant federate invite printed.");
else ask({ kind: "open", code });

at("file").addEventListener("change", async (event) => {
  const file = (event.target as HTMLInputElement).files?.[0];
  if (!file) return;
  tell("note", "");
  // What the browser keeps for this page is not to be thrown away when room gets scarce.
  await navigator.storage?.persist?.();
  ask({ kind: "table", name: file.name, text: await file.text() });
});
