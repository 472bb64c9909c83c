/** Who is in the room: those with a shared caret (Yjs awareness), and those who speak Socket.IO alone. */

import type { Awareness } from "y-protocols/awareness";
import { safeColor } from "../color.ts";
import type { Client } from "./room-socket.ts";

export interface Person {
  key: string;
  /** The number of their caret, where they have a shared one. */
  client: number | null;
  name: string;
  color: string;
  me: boolean;
  typing: boolean;
  /** Which run of theirs has not answered yet. */
  running: string | null;
}

/** What somebody else says of himself may be anything. */
interface Said {
  user?: { name?: unknown; color?: unknown };
  typing?: unknown;
  running?: unknown;
  socketId?: unknown;
}

/** Me first, the others by name. */
export function people(awareness: Awareness, clients: readonly Client[]): Person[] {
  const found: Person[] = [];
  const claimed = new Set<unknown>();
  for (const [client, state] of awareness.getStates()) {
    const said = state as Said;
    if (said.user === undefined) continue;
    claimed.add(said.socketId);
    const name = nameOf(said.user.name);
    found.push({
      key: `caret:${client}`,
      client,
      name,
      color: safeColor(said.user.color, name),
      me: client === awareness.clientID,
      typing: said.typing === true,
      running: typeof said.running === "string" ? said.running : null,
    });
  }
  for (const { socketId, username } of clients.filter((one) => !claimed.has(one.socketId))) {
    const name = nameOf(username);
    found.push({ key: `socket:${socketId}`, client: null, name, color: safeColor(null, name), me: false, typing: false, running: null });
  }
  return found.sort((a, b) => Number(b.me) - Number(a.me) || a.name.localeCompare(b.name) || a.key.localeCompare(b.key));
}

export function nameOf(name: unknown): string {
  return typeof name === "string" && name.trim() !== "" ? name.trim() : "Somebody";
}

/** Who came and who went, by name: somebody who reloads the page did neither. */
export function difference(before: readonly string[], after: readonly string[]): { came: string[]; went: string[] } {
  const less = (all: readonly string[], some: readonly string[]) => {
    const left = [...some];
    return all.filter((name) => {
      const at = left.indexOf(name);
      if (0 <= at) left.splice(at, 1);
      return at < 0;
    });
  };
  return { came: less(after, before), went: less(before, after) };
}

/** "Ada", "Ada and Ben", "Ada, Ben and 3 others". */
export function listed(names: readonly string[]): string {
  const [first, second, third] = names;
  if (first === undefined) return "";
  if (second === undefined) return first;
  if (third === undefined) return `${first} and ${second}`;
  return names.length === 3 ? `${first}, ${second} and ${third}` : `${first}, ${second} and ${names.length - 2} others`;
}
