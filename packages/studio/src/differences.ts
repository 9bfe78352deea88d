// What tells one spec from another: the settings that differ, by their paths.

export interface Difference {
  readonly path: readonly string[];
  /** One a spec, as a reader knows it; undefined where the spec does not have it. */
  readonly values: readonly (string | undefined)[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shown = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(shown).join(", ")
    : isObject(value)
      ? JSON.stringify(value)
      : String(value);

/** Every setting of a spec, by its path as one text. */
function settings(spec: unknown, at: readonly string[] = []): Map<string, string> {
  if (!isObject(spec)) return new Map([[JSON.stringify(at), shown(spec)]]);
  const found = Object.entries(spec)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => [...settings(value, [...at, key])]);
  return new Map(found.flat());
}

/** In the order in which specs name them. */
export function differences(specs: readonly unknown[]): Difference[] {
  const all = specs.map((spec) => settings(spec));
  const paths = [...new Set(all.flatMap((of) => [...of.keys()]))];
  return paths
    .map((path) => ({
      path: JSON.parse(path) as string[],
      values: all.map((of) => of.get(path)),
    }))
    .filter(({ values }) => values.some((value) => value !== values[0]));
}

const most = 3;

/** How a spec differs from another, in a few words; "" where it does not, or only by what is said elsewhere. */
export function apartFrom(spec: unknown, other: unknown): string {
  const found = differences([spec, other]).filter(
    ({ path }) => path[0] !== "name" && path[0] !== "seed" && path[0] !== "data",
  );
  const settingWords = ({ path, values: [own] }: Difference): string => {
    const key = path.at(-1) as string;
    const clear = found.filter((one) => one.path.at(-1) === key).length === 1;
    const name = clear ? key : path.filter((part) => part !== "requirements").join(" ");
    return own === undefined ? `no ${name}` : `${name} ${own}`;
  };
  /** The settings of one part of the spec; a few of many would say nothing of the rest. */
  const partWords = (part: string): string => {
    const own = found.filter(({ path }) => path[0] === part);
    if (own.length === 1) return settingWords(own[0]);
    return part === "requirements" ? "other requirements" : `another ${part}`;
  };
  const words =
    found.length > most
      ? [...new Set(found.map(({ path }) => path[0]))].map(partWords)
      : found.map(settingWords);
  return [...words.slice(0, most), ...(words.length > most ? ["…"] : [])].join(", ");
}
