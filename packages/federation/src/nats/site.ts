// A site on a NATS server: the coordinator's certificate is looked at first, over its own port, and signs all that is taken as its word.
import { randomBytes } from "node:crypto";
import type { NatsConnection } from "@nats-io/transport-node";
import { InputError } from "@pliant/core";
import { type Address, type SiteConnection, sayingReach, trustedCertificate } from "../embedded/index.js";
import type { Identity } from "../protocol/index.js";
import { siteSession } from "../sessions/index.js";
import { connectNats } from "./address.js";
import { certificateVerifier, decodeEnvelope, encodeEnvelope, envelopeText, subjects } from "./envelope.js";

/** Connects by a NATS server, and connects again whenever the connection is lost. */
export function natsSite(
  bus: string,
  address: Address,
  site: string,
  identity: Identity,
  say: (what: string) => void = () => {},
): SiteConnection {
  const reach = sayingReach(address, say);
  const { run } = address;
  const id = randomBytes(16).toString("hex");
  const up = subjects.up(run, id);
  let connection: NatsConnection | undefined;
  /** The life of the coordinator that welcomed this site. */
  let life: string | undefined;
  const publish = (text: string) => {
    if (!connection || connection.isClosed()) return;
    connection.publish(up, encodeEnvelope({ text, signature: identity.sign(envelopeText(up, text)) }));
  };
  const session = siteSession(run, site, identity, {
    send: publish,
    close: () => void connection?.drain().catch(() => {}),
  });

  const open = async () => {
    const cert = await certificate();
    if (cert === undefined) return;
    const saidByCoordinator = certificateVerifier(cert);
    const opened = await connectNats(bus, { wait: true });
    if (session.closed) return void opened.close();
    connection = opened;
    const listen = (subject: string, hear: (text: string) => void) =>
      opened.subscribe(subject, {
        callback: (error, message) => {
          const envelope = error ? undefined : decodeEnvelope(message.string());
          if (envelope && saidByCoordinator(envelopeText(subject, envelope.text), envelope.signature))
            hear(envelope.text);
        },
      });
    listen(subjects.down(run, id), session.hear);
    listen(subjects.all(run), (announced) => {
      if (session.welcomed && announced === life) return;
      // Another coordinator than the one that knew this site, or none yet did.
      life = announced;
      session.lost();
      publish("");
    });
  };
  /** Again and again until the coordinator answers. */
  const certificate = async (): Promise<string | undefined> => {
    for (let wait = 100; !session.closed; wait = Math.min(2 * wait, 2000)) {
      try {
        const found = await trustedCertificate(address);
        reach.found();
        return found;
      } catch (error) {
        if (error instanceof InputError) {
          session.end(error.message);
          return undefined;
        }
        reach.lost();
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    return undefined;
  };
  open().catch((error: Error) => session.end(error.message));
  return session;
}
