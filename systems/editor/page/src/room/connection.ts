/** The state of the line to the shared text, in the words that a person needs. */

import { createEncoder, toUint8Array, writeVarUint } from "lib0/encoding";
import { peekVarUint } from "lib0/decoding";
import { messageYjsSyncStep2, writeSyncStep1 } from "y-protocols/sync";
import { messageSync, type WebsocketProvider } from "y-websocket";
import { Signal } from "./signal.ts";

/** Asked so often what it has: y-websocket ends a line on which nothing came for 30 s, and hears no pings. */
const ASK_AGAIN = 20_000;
/** The server closes a line with it on which more came at once than it takes, or into a text that is full. */
const TOO_LARGE = 1009;

export type Phase =
  /** The text has not come yet. */
  | "opening"
  /** Everything that was typed here before is at the server, and what others type comes. */
  | "online"
  /** The line is down; it is tried again every few seconds. */
  | "reconnecting"
  /** The server said no, for good: it will not be tried again. */
  | "closed";

export interface Connection {
  phase: Phase;
  /** Something was typed that the server may not have yet. */
  unsent: boolean;
  /** The text was here once: then one can go on typing whatever the line does. */
  opened: boolean;
  /** Why the server said no. */
  reason: string;
}

/** Whether a line that was closed like this is made anew: what was refused as too large would be refused again, and so for ever. */
export function mayComeAgain({ code }: CloseEvent): boolean {
  return code !== TOO_LARGE && !(4400 <= code && code < 4500);
}

function wordsOf({ code, reason }: { code: number; reason: string }): string {
  if (code === TOO_LARGE) return "The server does not take so much text. What you typed last is in this page alone: save it before you leave.";
  return reason || "The server closed the room.";
}

/** Follows a provider until the returned function is called. */
export function follow(provider: WebsocketProvider, connection: Signal<Connection>): () => void {
  /** How often something was typed here, and how much of that the server has for sure. */
  let typed = 0;
  let arrived = 0;
  /** What was typed before the server was asked; nothing while it is not. */
  let asked: number | null = null;
  const change = (part: Partial<Connection>) => {
    const now = connection.value;
    if (now.phase !== "closed") connection.set({ ...now, ...part });
  };
  const type = (_: Uint8Array, origin: unknown) => {
    if (origin === provider) return;
    typed += 1;
    if (!provider.synced && !connection.value.unsent) change({ unsent: true });
  };
  // The server answers what it has once all that came before is saved.
  const ask = () => {
    if (!provider.synced || asked !== null || provider.ws?.readyState !== WebSocket.OPEN) return;
    const question = createEncoder();
    writeVarUint(question, messageSync);
    writeSyncStep1(question, provider.doc);
    provider.ws.send(toUint8Array(question));
    asked = typed;
  };
  const answered = () => {
    if (asked === null) return;
    arrived = asked;
    asked = null;
    if (connection.value.phase !== "online") change({ phase: "online", unsent: false });
  };
  const leaving = (event: BeforeUnloadEvent) => {
    if (connection.value.unsent) event.preventDefault();
  };
  // What the browser says of its network is a hint only (a server on this machine needs none): the line is made anew, at once.
  const again = () => {
    if (connection.value.phase === "closed") return;
    provider.disconnect();
    provider.connect();
  };

  hearAnswers(provider, answered);
  provider.on("sync", (synced: boolean) => {
    if (!synced) return;
    if (arrived === typed) change({ phase: "online", unsent: false, opened: true });
    else {
      change({ unsent: true, opened: true });
      ask();
    }
  });
  provider.on("connection-close", () => {
    asked = null;
    change({ phase: "reconnecting", unsent: arrived !== typed });
  });
  provider.on("closed", (how) => change({ phase: "closed", reason: wordsOf(how) }));
  provider.doc.on("update", type);
  const asks = setInterval(ask, ASK_AGAIN);
  window.addEventListener("beforeunload", leaving);
  window.addEventListener("offline", again);
  window.addEventListener("online", again);
  return () => {
    clearInterval(asks);
    provider.doc.off("update", type);
    window.removeEventListener("beforeunload", leaving);
    window.removeEventListener("offline", again);
    window.removeEventListener("online", again);
  };
}

/** Calls back before each answer is read. The provider itself tells of a line's first one alone. */
function hearAnswers(provider: WebsocketProvider, answered: () => void): void {
  const read = provider.messageHandlers[messageSync];
  if (read === undefined) return;
  provider.messageHandlers[messageSync] = (encoder, decoder, ...rest) => {
    if (peekVarUint(decoder) === messageYjsSyncStep2) answered();
    read(encoder, decoder, ...rest);
  };
}
