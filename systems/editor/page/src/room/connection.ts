/** The state of the line to the shared text, in the words that a person needs. */

import type { WebsocketProvider } from "y-websocket";
import { Signal } from "./signal.ts";

export type Phase =
  /** The text has not come yet. */
  | "opening"
  /** Everything that was typed here is sent, and what others type comes. */
  | "online"
  /** The line is down; it is tried again every few seconds. */
  | "reconnecting"
  /** The server said no, for good: it will not be tried again. */
  | "closed";

export interface Connection {
  phase: Phase;
  /** Something was typed that the server does not have yet. */
  unsent: boolean;
  /** The text was here once: then one can go on typing whatever the line does. */
  opened: boolean;
  /** Why the server said no. */
  reason: string;
}

/** Follows a provider until the returned function is called. */
export function follow(provider: WebsocketProvider, connection: Signal<Connection>): () => void {
  const change = (part: Partial<Connection>) => {
    const now = connection.value;
    if (now.phase !== "closed") connection.set({ ...now, ...part });
  };
  const typed = (_: Uint8Array, origin: unknown) => {
    if (origin !== provider && !provider.synced && !connection.value.unsent) change({ unsent: true });
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

  provider.on("sync", (synced: boolean) => {
    if (synced) change({ phase: "online", unsent: false, opened: true });
  });
  provider.on("connection-close", () => change({ phase: "reconnecting" }));
  provider.on("closed", ({ reason }) => change({ phase: "closed", reason: reason || "The server closed the room." }));
  provider.doc.on("update", typed);
  window.addEventListener("beforeunload", leaving);
  window.addEventListener("offline", again);
  window.addEventListener("online", again);
  return () => {
    provider.doc.off("update", typed);
    window.removeEventListener("beforeunload", leaving);
    window.removeEventListener("offline", again);
    window.removeEventListener("online", again);
  };
}
