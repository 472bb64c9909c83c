/** Announces who joined and who left, after a delay, so that a lost connection causes no announcements. */

import { toast } from "../toast.ts";
import { difference, listed } from "./people.ts";
import type { Session } from "./session.ts";

const SETTLE = 1_500;
/** After a lost connection, everybody reconnects after a different delay. */
const SETTLE_AFTER_BREAK = 4_000;

export function announcer(session: Session): () => void {
  const known: string[] = [];
  let arrived = false;
  let settle = SETTLE;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changes = () => {
    const now = session.people.value.filter((person) => !person.me).map((person) => person.name);
    return { now, ...difference(known, now) };
  };
  const say = () => {
    if (session.connection.value.phase !== "online") return;
    const { now, came, went } = changes();
    arrived = true;
    settle = SETTLE;
    known.splice(0, known.length, ...now);
    if (came.length !== 0) toast({ text: `${listed(came)} joined.` });
    if (went.length !== 0) toast({ text: `${listed(went)} left.` });
  };
  const look = () => {
    const { came, went } = changes();
    if (session.connection.value.phase === "reconnecting") settle = SETTLE_AFTER_BREAK;
    // Do not announce people who were in the room before this user.
    if (!arrived) known.push(...came);
    if (arrived && came.length + went.length === 0) return clearTimeout(timer);
    clearTimeout(timer);
    timer = setTimeout(say, settle);
  };
  const ends = [session.people.watch(look), session.connection.watch(look)];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}
