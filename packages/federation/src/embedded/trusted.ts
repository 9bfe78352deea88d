// Connections to the coordinator. Nothing is said on one before the coordinator has shown the certificate whose fingerprint the
// join code names or, if the code names none, a certificate that an authority issued for its host.
import type { X509Certificate } from "node:crypto";
import type { RequestOptions } from "node:http";
import { Agent } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { InputError, NetworkError, PliantError } from "@pliant/core";
import { certificateFingerprint, minVersion } from "./certificate.js";
import type { JoinCode } from "./code.js";

/** Where the coordinator is, and how it is known. */
export interface Address extends Pick<JoinCode, "host" | "port" | "fingerprint" | "run"> {
  /** Authorities besides those that Node trusts, as PEM. */
  readonly ca?: string;
}

// To make one takes as long as a handshake.
let pinning: SecureContext | undefined;

function trustOf({ host, fingerprint, ca }: Address): ConnectionOptions {
  if (fingerprint !== undefined) {
    pinning ??= createSecureContext({ minVersion });
    return { secureContext: pinning, servername: "localhost", rejectUnauthorized: false };
  }
  return {
    minVersion,
    ...(ca !== undefined && { ca: [ca] }),
    ...(isIP(host) === 0 && { servername: host }),
  };
}

/**
 * A connection to a coordinator that has shown who it is, and by which certificate: a socket gives the certificate of a server
 * out once only.
 */
function secured(address: Address): Promise<{ socket: TLSSocket; certificate: X509Certificate }> {
  const { host, port, fingerprint } = address;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...trustOf(address) }, () => {
      const certificate = socket.getPeerX509Certificate()!;
      if (fingerprint === undefined || certificateFingerprint(certificate.raw) === fingerprint)
        return resolve({ socket, certificate });
      socket.destroy();
      reject(
        new InputError(
          `Whoever answers at ${host}:${port} has another certificate than the join code names; nothing was sent.`,
        ),
      );
    });
    socket.on("error", (error: Error & { code?: string }) => reject(failed(address, error)));
  });
}

/** Certificates that are not trusted end it; a coordinator that is not there may come back. */
export function failed({ host, port }: Address, error: Error & { readonly code?: string }): PliantError {
  if (error instanceof PliantError) return error;
  if (/^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_)/.test(error.code ?? ""))
    return new InputError(
      `The certificate of the coordinator at ${host}:${port} is not trusted: ${error.message}. Name the authority that issued it with --ca FILE; nothing was sent.`,
    );
  return new NetworkError(`The coordinator at ${host}:${port} does not answer: ${error.message}.`);
}

/** The certificate that the coordinator shows, as PEM. */
export async function trustedCertificate(address: Address): Promise<string> {
  const { socket, certificate } = await secured(address);
  socket.end();
  return certificate.toString();
}

/** Makes such connections for HTTP requests and WebSockets, and keeps idle ones. */
export class TrustingAgent extends Agent {
  constructor(private readonly address: Address) {
    super({ keepAlive: true });
  }
  override createConnection(
    _: RequestOptions,
    done: (error: Error | null, socket: Duplex) => void = () => {},
  ): undefined {
    secured(this.address).then(
      ({ socket }) => done(null, socket),
      (error: Error) => done(error, undefined as never),
    );
  }
}
