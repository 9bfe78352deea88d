// The coordinator on a NATS server. It says again and again that it is there, so that sites come back to one that was started
// again; a lost message looks like a slow site, and is asked for again by the protocol.
import { randomBytes } from "node:crypto";
import type { Certificate } from "../embedded/index.js";
import { signed } from "../protocol/index.js";
import type { Session, Sessions } from "../sessions/index.js";
import { connectNats } from "./address.js";
import { certificateSigner, decodeEnvelope, encodeEnvelope, envelopeText, subjects } from "./envelope.js";

/** Whose sessions are opened over NATS. */
export interface NatsCoordinatorOptions {
  readonly run: string;
  readonly certificate: Certificate;
  readonly sessions: Sessions;
  readonly say?: (what: string) => void;
  /** How often it says that it is there, in ms. */
  readonly announce?: number;
}

/** A coordinator that NATS brings sessions to, until it is closed. */
export interface NatsCoordinator {
  close(): Promise<void>;
}

/** Sessions that have not shown who they are, at the most: anyone may open one. */
const mostUnknown = 10_000;

/** Opens sessions for sites that come by a NATS server. */
export async function natsCoordinator(
  address: string,
  { run, certificate, sessions, say = () => {}, announce = 1000 }: NatsCoordinatorOptions,
): Promise<NatsCoordinator> {
  const connection = await connectNats(address, { wait: false });
  const signature = certificateSigner(certificate.key);
  const life = randomBytes(16).toString("hex");
  const open = new Map<string, Session>();
  const publish = (subject: string, text: string) => {
    const payload = encodeEnvelope({ text, signature: signature(envelopeText(subject, text)) });
    const most = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (Buffer.byteLength(payload) > most)
      return say(
        `A message of ${Buffer.byteLength(payload)} bytes is more than the NATS server takes; raise its max_payload.`,
      );
    if (!connection.isClosed()) connection.publish(subject, payload);
  };

  const sessionOf = (id: string): Session => {
    const known = open.get(id);
    if (known) return known;
    for (const [other, { site }] of open) {
      if (open.size < mostUnknown) break;
      if (!site) open.delete(other);
    }
    const session = sessions.open({
      send: (text) => publish(subjects.down(run, id), text),
      close: () => {
        open.get(id)?.lost();
        open.delete(id);
      },
    });
    open.set(id, session);
    return session;
  };

  connection.subscribe(subjects.up(run, "*"), {
    callback: (error, message) => {
      const envelope = error ? undefined : decodeEnvelope(message.string());
      if (!envelope) return;
      const id = message.subject.split(".").at(-1)!;
      const { text } = envelope;
      // The first word of a session asks for its challenge.
      if (text === "") return void sessionOf(id);
      const session = open.get(id);
      if (!session) return;
      const { site } = session;
      if (site && !signed(site.key, envelopeText(message.subject, text), envelope.signature)) return;
      void session.hear(text);
    },
  });
  const present = () => publish(subjects.all(run), life);
  present();
  const presenting = setInterval(present, announce);
  return {
    close: async () => {
      clearInterval(presenting);
      // What was said last is on its way before the connection ends.
      await connection.drain().catch(() => {});
    },
  };
}
