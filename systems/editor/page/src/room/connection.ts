/** The state of the connection to the shared text, and its descriptions for users. */

import { createEncoder, toUint8Array, writeVarUint } from "lib0/encoding";
import { peekVarUint } from "lib0/decoding";
import { messageYjsSyncStep2, writeSyncStep1 } from "y-protocols/sync";
import { messageSync, type WebsocketProvider } from "y-websocket";
import { Signal } from "./signal.ts";

/** Interval of requests to the server, because y-websocket closes a connection after 30 s without messages. */
const ASK_AGAIN = 20_000;
/** The server closes the connection with this code if a message or the text is too large. */
const TOO_LARGE = 1009;

export type Phase =
  /** The text has not arrived yet. */
  | "opening"
  /** The server has everything typed here so far, and edits of others arrive. */
  | "online"
  /** The connection is lost, and is retried every few seconds. */
  | "reconnecting"
  /** The server refused the connection permanently, so it is not retried. */
  | "closed";

export interface Connection {
  phase: Phase;
  /** Whether something was typed that the server may not have yet. */
  unsent: boolean;
  /** Whether the text has ever arrived. From then on, typing works even without a connection. */
  opened: boolean;
  /** The reason for the refusal. */
  reason: string;
}

/** Whether to reconnect. After a close for size, the same data would be refused again and again. */
export function mayComeAgain({ code }: CloseEvent): boolean {
  return code !== TOO_LARGE && !(4400 <= code && code < 4500);
}

function wordsOf({ code, reason }: { code: number; reason: string }): string {
  if (code === TOO_LARGE) return "The server does not take so much text. What you typed last is in this page alone: save it before you leave.";
  return reason || "The server closed the room.";
}

/** Follows a provider until the returned function is called. */
export function follow(provider: WebsocketProvider, connection: Signal<Connection>): () => void {
  /** The number of local edits, and how many of them the server certainly has. */
  let typed = 0;
  let arrived = 0;
  /** The number of edits before the pending request; null if there is none. */
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
  // The server responds with its state only when everything sent before the request is saved.
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
  // Reconnect at once, because the browser's network state is only a hint and does not apply to a local server.
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

/** Calls back before each response is read. The provider itself only reports the first one of a connection. */
function hearAnswers(provider: WebsocketProvider, answered: () => void): void {
  const read = provider.messageHandlers[messageSync];
  if (read === undefined) return;
  provider.messageHandlers[messageSync] = (encoder, decoder, ...rest) => {
    if (peekVarUint(decoder) === messageYjsSyncStep2) answered();
    read(encoder, decoder, ...rest);
  };
}
