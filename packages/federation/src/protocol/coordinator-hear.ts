// What a coordinator makes of a site's message. Whatever does not belong to this attempt, or was answered before, changes nothing.
import { isMarked } from "../sums/index.js";
import { type Group, isTruthful, isWhole } from "./attempt.js";
import type { Running } from "./coordinator-state.js";
import type { Turns } from "./coordinator-turns.js";
import type { ToCoordinator } from "./messages.js";
import { boxHash, complaintText, memberText, survivorsText } from "./transcript.js";

export function hearing(
  running: Running,
  { remove, atFault, challenge }: Turns,
): (from: string, message: ToCoordinator, now: number) => void {
  const { m, run, plain, patience, crypto, done, uploadedIn, left, silent, times, effects } = running;
  const { send, say, isAsked, request, waiting, sayOnce, isDrawn, groupOf } = running;

  const hear = (from: string, message: ToCoordinator, now: number) => {
    if (message.run !== run || !Object.hasOwn(m.roster, from)) return;
    silent.delete(from);
    if (message.kind === "hello") {
      uploadedIn.set(from, message.since);
      const known = m.at.ready.get(from);
      // Whoever agreed has the shares of this attempt on its disk.
      const lost = m.phase !== "revealing" && !m.at.agrees.has(from);
      if (known && known.session !== message.session && lost)
        m.at.gone.set(from, "came back without its secrets");
      if (m.phase === "gathering" && known && m.at.gone.has(from)) {
        // Nothing was promised yet: it may get ready again, with new keys.
        m.at.ready.delete(from);
        m.at.gone.delete(from);
      }
      const asks = {
        finished: true,
        gathering: !m.at.ready.has(from) && isAsked(from) && isDrawn(from),
      };
      const shares = m.phase === "revealing" && groupOf(from)?.survivors.has(from) && !m.at.reveals.has(from);
      if (shares || asks[m.phase as "gathering"]) send(from, request(from));
      return;
    }
    if (message.kind === "done") return void (m.phase === "finished" && done.add(from));
    if (message.exchange !== m.ledger.exchange || message.attempt !== m.at.number) return;
    if (message.kind === "refuse") {
      if (!m.at.gone.has(from)) say(`${from}: ${message.reason}`);
      m.at.gone.set(from, message.reason);
      if (message.final && !left.has(from)) {
        left.add(from);
        effects.push({ kind: "left", sites: [...left] });
      }
      return;
    }
    if (m.at.gone.has(from)) return;
    if (message.kind === "ready") {
      const { member, session, statement, epsilon } = message;
      if (m.phase !== "gathering" || m.at.ready.has(from) || m.at.benched.has(from) || !isDrawn(from)) return;
      if (member.site !== from || statement !== m.at.statement) return;
      if (!crypto.signed(m.at.roster[from], memberText(member, statement), member.signature))
        return sayOnce(from, "did not sign its keys; what came in its name is not used");
      if (!plain && !crypto.isSound(member))
        return void atFault(from, "it signed a key with which nobody has a secret", now);
      m.at.without.delete(from);
      m.at.ready.set(from, { member, session, epsilon });
      return;
    }
    const group = groupOf(from);
    if (message.kind === "boxes" && m.phase === "dealing" && group) {
      if (!isWhole(group, from, message))
        return void atFault(from, "it did not deal shares to all other sites of its sum", now);
      keep(m.at.boxes, from, message);
      keep(times, from, now - m.since);
    }
    if (message.kind === "complain" && m.phase === "uploading" && group)
      complained(group, from, message, now);
    if (message.kind === "opening" && m.phase === "uploading" && group) {
      const pair = `${from} ${message.to}`;
      const box = m.at.boxes.get(from)?.boxes.find(({ to }) => to === message.to);
      if (!m.at.complaints.has(pair) || !box) return;
      if (!isMarked(message, box))
        return void atFault(from, `the shares it dealt to ${message.to} are not those it committed to`, now);
      keep(m.at.openings, pair, { mask: message.mask, self: message.self });
      if (waiting().includes(message.to)) send(message.to, request(message.to));
    }
    if (message.kind === "uploaded" && m.phase === "uploading" && group?.sites.has(from)) {
      uploadedIn.set(from, {
        exchange: m.ledger.exchange,
        group: m.at.drawn.findIndex((g) => g.includes(from)),
      });
      keep(m.at.uploads, from, message.upload);
      keep(times, from, now - m.since);
    }
    if (message.kind === "agree" && m.phase === "agreeing" && group?.survivors.has(from)) {
      const text = survivorsText(group.context, group.survivors);
      if (crypto.signed(m.at.roster[from], text, message.signature)) {
        keep(m.at.agrees, from, message.signature);
        keep(times, from, now - m.since);
      }
    }
    if (message.kind === "reveal" && m.phase === "revealing" && group?.survivors.has(from)) {
      // It took these shares, or would have complained.
      if (!isTruthful(group, from, message))
        return remove(from, "it revealed other shares than it was dealt");
      keep(m.at.reveals, from, { selves: message.selves, masks: message.masks });
    }
  };

  /** The dealer is asked to open the box: it tells nobody more than its holder has. */
  const complained = (
    group: Group,
    by: string,
    { of, box, signature }: ToCoordinator & { kind: "complain" },
    now: number,
  ) => {
    const dealt = group.sites.has(of) ? m.at.boxes.get(of)!.boxes.find(({ to }) => to === by) : undefined;
    if (!dealt || boxHash(dealt) !== box) return;
    if (!crypto.signed(m.at.roster[by], complaintText(group.context, by, of, box), signature)) return;
    if (m.at.openings.has(`${of} ${by}`)) return send(by, request(by));
    const known = m.at.complaints.get(`${of} ${by}`);
    // Once it is late nobody has to answer any more: whoever complains then is not waited for.
    if (!known && now - m.since >= patience.answer) return;
    if (!known) say(`${by} complains of the shares that ${of} dealt to it.`);
    const complaint = known ?? { by, of, box, signature, since: now };
    m.at.complaints.set(`${of} ${by}`, complaint);
    challenge(complaint);
  };

  return hear;
}

/** The first answer stands. */
function keep<T>(answers: Map<string, T>, from: string, answer: T): void {
  if (!answers.has(from)) answers.set(from, answer);
}
