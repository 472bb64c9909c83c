/** The people in the room: Yjs clients (from their awareness), and clients that use only Socket.IO. */

import type { Awareness } from "y-protocols/awareness";
import { safeColor } from "../color.ts";
import type { Client } from "./room-socket.ts";

export interface Person {
  key: string;
  /** The Yjs client id; null if the person uses only Socket.IO. */
  client: number | null;
  name: string;
  color: string;
  me: boolean;
  typing: boolean;
  /** The id of this person's run without a response yet. */
  running: string | null;
}

/** The awareness state of another client, which may contain anything. */
interface Said {
  user?: { name?: unknown; color?: unknown };
  typing?: unknown;
  running?: unknown;
  socketId?: unknown;
}

/** Sorted: the own user first, the others by name. */
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

/** Who joined and who left, by name. Reloading the page counts as neither. */
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
