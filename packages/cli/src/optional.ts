// Packages that are installed only by those who need them, and what each is for.

export interface OptionalPart {
  /** What Pliant does with it. */
  readonly for: string;
  /** All packages that belong to it, in the order of `npm install`. */
  readonly packages: readonly string[];
}

export const optionalParts: readonly OptionalPart[] = [
  {
    for: "faster reading of very large tables, JSON Lines and Parquet; folders of Parquet files",
    packages: ["@duckdb/node-api"],
  },
  { for: "reading Arrow and Feather files", packages: ["@uwdata/flechette"] },
  {
    for: "queues of runs and federations that meet at a NATS server",
    packages: ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/obj"],
  },
  { for: "federation ledgers in Postgres", packages: ["postgres"] },
];

export const installCommand = ({ packages }: OptionalPart): string => `npm install ${packages.join(" ")}`;

/** The part whose package Node could not find, if that is why something failed. */
export function missingPart(error: unknown): OptionalPart | undefined {
  const { code, message = "" } = error as { code?: string; message?: string };
  if (code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const name = /Cannot find package '([^']+)'/.exec(message)?.[1] ?? "";
  return optionalParts.find(({ packages }) => packages.some((known) => known === name));
}
