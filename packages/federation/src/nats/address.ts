// Where sites meet, when not at the coordinator's own server: nats://USER:PASSWORD@HOST:PORT, or tls://….
import type { NatsConnection } from "@nats-io/transport-node";
import { InputError, NetworkError } from "@pliant/core";

export interface NatsAddress {
  readonly servers: string;
  readonly user?: string;
  readonly pass?: string;
  readonly tls: boolean;
}

/** The parts of an address, or a sentence. */
export function readNatsAddress(address: string): NatsAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.hostname || !["nats:", "tls:"].includes(url.protocol) || url.pathname.length > 1)
    throw new InputError(
      `A bus elsewhere is nats://HOST:PORT or tls://HOST:PORT, not ${shownAddress(address)}.`,
    );
  const user = decodeURIComponent(url.username) || undefined;
  const pass = decodeURIComponent(url.password) || undefined;
  return { servers: `${url.hostname}:${url.port || 4222}`, user, pass, tls: url.protocol === "tls:" };
}

/** Without its password. */
export const shownAddress = (address: string): string => address.replace(/:[^:@/]*@/, ":…@");

/** Stays connected, and connects again whenever it is lost; at first only if it is to wait. */
export async function connectNats(
  address: string,
  { wait }: { readonly wait: boolean },
): Promise<NatsConnection> {
  const { servers, user, pass, tls } = readNatsAddress(address);
  const { connect } = await import("@nats-io/transport-node");
  try {
    return await connect({
      servers,
      ...(user !== undefined && { user, pass }),
      ...(tls && { tls: {} }),
      maxReconnectAttempts: -1,
      waitOnFirstConnect: wait,
      reconnectTimeWait: 500,
      name: "pliant federation",
    });
  } catch (error) {
    throw new NetworkError(
      `There is no NATS server at ${shownAddress(address)}: ${(error as Error).message}.`,
    );
  }
}
