// What stands on the playground: the people, what is asked, the caption, and what the trainer beside the page tells of them.
import type { Curve } from "../../../src/api.js";
import { number } from "../lib/format.js";
import { linkQuery, settingFrom } from "./link.js";
import { presets } from "./presets.js";
import { type Ask, type Description, hasBoth, type Name, names, type Point } from "./problem.js";
import { openThread } from "./thread.js";
import { tour } from "./tour.js";
import type { Asked, Message, Told } from "./trainer.js";

export interface Session {
  /** The set of people that was chosen last. */
  readonly preset: string;
  readonly description: Description;
  readonly told: Told | undefined;
  readonly sensitivities: Readonly<Partial<Record<Name, Curve>>>;
  /** At the equilibrium of what is asked now. */
  readonly settled: boolean;
  /** Where training stands, in a sentence. */
  readonly news: string;
  /** The place in the tour. */
  readonly caption: number;
  /** What came of the caption's own setting; "" where another stands on the board, or it is not at rest. */
  readonly claim: string;
  /** The same again, for anyone who opens it. */
  readonly query: string;
  /** Begins to train; what it answers ends it. */
  begin(): () => void;
  setPoints(points: readonly Point[]): void;
  setAsk(name: Name, ask: Ask): void;
  choosePreset(name: string): void;
  /** Goes to a place in the tour. */
  show(caption: number): void;
}

export function openSession(query: URLSearchParams): Session {
  const shared = settingFrom(query);
  const set = shared.preset && Object.hasOwn(presets, shared.preset) ? shared.preset : "overlap";
  const people: readonly Point[] = presets[set].points();
  let preset = $state(set);
  /** The people of a set as it was chosen. */
  let drawn = $state.raw(people);
  let points = $state.raw(shared.points ?? people);
  let asks = $state.raw<Readonly<Record<Name, Ask>>>(shared.asks ?? tour[0].asks);
  let caption = $state(0);
  let told = $state.raw<Told>();
  let sensitivities = $state.raw<Partial<Record<Name, Curve>>>({});
  let problem = $state<string>();
  let asked = $state(0);
  /** The numbers at rest of the caption before, for what this one says of them. */
  let before = $state.raw<Told["requirements"]>();
  let worker: Worker | undefined;

  const description = $derived<Description>({ points, asks });
  const settled = $derived(told?.certified === true && told.id === asked);
  const claim = $derived(
    settled && told && points === drawn && preset === tour[caption].preset && asks === tour[caption].asks
      ? tour[caption].claim({ asks, now: told.requirements, before })
      : "",
  );
  const news = $derived.by(() => {
    if (!hasBoth(points)) return "Draw at least one sick and one well person.";
    if (problem) return problem;
    if (!told) return "Starting to train …";
    if (told.id !== asked) return "Training …";
    if (settled) return `At the equilibrium, certified. Loss ${number(told.objective, 3)}.`;
    if (told.done)
      return names.every((name) => asks[name].hard)
        ? "Both must hold and cannot: the prices grow without end. Let one of them bend."
        : "Not at the equilibrium yet, after many steps.";
    return "Training …";
  });

  function train(afresh = false): void {
    asked += 1;
    problem = undefined;
    sensitivities = {};
    if (!hasBoth(points)) {
      // There is nothing to learn from: no model, no numbers.
      told = undefined;
      return;
    }
    // What the reader sees is of the old setting until the first few steps are taken.
    worker?.postMessage({
      id: asked,
      description: $state.snapshot(description),
      afresh: afresh || told === undefined,
    } as Asked);
  }

  function hear(message: Message): void {
    if (message.id !== asked) return;
    if (message.kind === "trained") told = message;
    else if (message.kind === "sensitivity")
      sensitivities = { ...sensitivities, [message.name]: { x: message.x, y: message.y } };
    else problem = message.message;
  }

  function take(set: string): void {
    preset = set;
    drawn = presets[set].points();
    points = drawn;
  }

  return {
    get preset() {
      return preset;
    },
    get description() {
      return description;
    },
    get told() {
      return told;
    },
    get sensitivities() {
      return sensitivities;
    },
    get settled() {
      return settled;
    },
    get news() {
      return news;
    },
    get caption() {
      return caption;
    },
    get claim() {
      return claim;
    },
    get query() {
      return String(linkQuery(description, points === drawn ? preset : undefined));
    },
    begin() {
      worker = openThread();
      worker.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
      train(true);
      return () => worker?.terminate();
    },
    setPoints(next) {
      points = next;
      train();
    },
    setAsk(name, ask) {
      asks = { ...asks, [name]: ask };
      train();
    },
    choosePreset(name) {
      take(name);
      train(true);
    },
    show(index) {
      const { preset: set, asks: wanted } = tour[index];
      const same = set === preset && points === drawn;
      // What was not at rest, or of other people, is nothing to compare with.
      before = settled && same ? told?.requirements : undefined;
      caption = index;
      asks = wanted;
      if (!same) take(set);
      train(!same);
    },
  };
}
