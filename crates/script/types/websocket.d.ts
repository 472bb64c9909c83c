/** WebSockets. Written by `headcount init`; do not edit. */
declare module "headcount" {
  export interface SocketOptions {
    headers?: Record<string, string>;
    subprotocols?: string[];
    /**
     * How JSON documents are packed into WebSocket messages. Each document counts as a message.
     * - "auto" (default): one document, several documents separated by newlines or 0x1e, or a SockJS frame.
     * - "whole": one document.
     * - "array": a top-level array, each element of which is a document.
     * - "newline", "0x1e": each document ends with that byte, possibly in a later WebSocket message.
     */
    documents?: "auto" | "whole" | "array" | "newline" | "0x1e";
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** Name under which the connection is measured. Default: the path. */
    name?: string;
    /** Time limit for opening the WebSocket. */
    timeout?: Duration;
  }

  /** Values that a message must have, by their JSON pointers: `{ "/type": "said" }`. */
  export type Only = Record<string, string | number | boolean | null>;

  export type Message = string | ArrayBuffer;

  /** An open WebSocket. Objects are sent as JSON. */
  export interface Socket {
    /** The negotiated subprotocol. */
    readonly subprotocol: string | undefined;
    readonly open: boolean;
    send(message: string | ArrayBuffer | Uint8Array | object): void;
    /**
     * Sends a message and waits for its reply. Measured as a round trip under `name`, by default the name of the
     * socket. If an object was sent, the reply is parsed as JSON. Which message is the reply:
     * - with `by`: the message with the same value at that JSON pointer;
     * - with `only`: the next message with these values;
     * - with neither: the next message that no channel follows, or that contains the sent stamp.
     *
     * With `by` or `only`, the reply may be a message that a channel follows.
     */
    request(
      message: string | ArrayBuffer | Uint8Array | object,
      options?: { name?: string; by?: string; only?: Only; timeout?: Duration },
    ): Promise<any>;
    /**
     * Tracks the channel's stamps on this socket without running a script for each message. Returns a function that
     * stops tracking.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp (from 0). Default: anywhere in the
     * message.
     * `only`: values that the message must have, at JSON pointers.
     * `except`: values that identify a snapshot, which repeats earlier messages. Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, even if it comes from a snapshot.
     */
    receives(channel: Channel, options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean }): () => void;
    /** The last value that `receives` stored. Requires `keep: true`. The value need not contain a stamp. A string is
     * returned unchanged, any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next message that matches `only`, even if a channel follows it. Without `only`, waits for the next
     * message that no channel follows. Unread messages that no channel follows are stored (at most 64) and come first.
     * `json: true` parses the message. */
    next(options?: { only?: Only; timeout?: Duration; json?: boolean }): Promise<any>;
    /** Runs `fn` for each message, which costs script time. Errors in `fn` fail the iteration. */
    on(event: "message", fn: (message: Message) => void): void;
    /** Runs `fn` when the socket closes, regardless of which side closed it. */
    on(event: "close", fn: (code: number | undefined, reason: string) => void): void;
    /** Sends a ping. Resolves to its round-trip time in milliseconds. */
    ping(): Promise<number>;
    /** Closes the WebSocket. Default code: 1000. */
    close(code?: number, reason?: string): Promise<void>;
  }
}
