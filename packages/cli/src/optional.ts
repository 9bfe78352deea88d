// Optional packages and their purposes.

export interface OptionalPart {
  /** The features that need it. */
  readonly for: string;
  /** Its packages, as `npm install` takes them. */
  readonly packages: readonly string[];
}

export const optionalParts: readonly OptionalPart[] = [
  {
    for: "fast reading of very large tables, JSON Lines and Parquet, including folders of Parquet files",
    packages: ["@duckdb/node-api"],
  },
  { for: "reading Arrow and Feather files", packages: ["@uwdata/flechette"] },
  {
    for: "run queues, and federations that communicate through a NATS server",
    packages: ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/obj"],
  },
  { for: "federation ledgers in Postgres", packages: ["postgres"] },
];

export const installCommand = ({ packages }: OptionalPart): string => `npm install ${packages.join(" ")}`;

/** The optional part whose package is missing, if that caused the error. */
export function missingPart(error: unknown): OptionalPart | undefined {
  const { code, message = "" } = error as { code?: string; message?: string };
  if (code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const name = /Cannot find package '([^']+)'/.exec(message)?.[1] ?? "";
  return optionalParts.find(({ packages }) => packages.some((known) => known === name));
}
