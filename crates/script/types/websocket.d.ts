/** WebSockets. Written by `headcount init`; do not edit. */
declare module "headcount" {
  export interface SocketOptions {
    headers?: Record<string, string>;
    subprotocols?: string[];
    /** How JSON documents are packed into WebSocket messages. Each document counts as a message. "auto": one document,
     * or several documents separated by newlines or 0x1e, or a SockJS frame. "whole": one document. "array": each
     * element of a top-level array is a document. "newline", "0x1e": each document ends with that byte, possibly in a
     * later WebSocket message. */
    documents?: "auto" | "whole" | "array" | "newline" | "0x1e";
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** Name under which the socket is measured. Default: the path. */
    name?: string;
    timeout?: Duration;
  }

  /** Required values at JSON pointers: `{ "/type": "said" }`. */
  export type Only = Record<string, string | number | boolean | null>;

  export type Message = string | ArrayBuffer;

  /** An open WebSocket. Objects are sent as JSON. */
  export interface Socket {
    /** The negotiated subprotocol. */
    readonly subprotocol: string | undefined;
    readonly open: boolean;
    send(message: string | ArrayBuffer | Uint8Array | object): void;
    /** Sends a message and waits for its reply. The reply is parsed if an object was sent. With `by`, the reply is the
     * message with the same value at that JSON pointer. With `only`, the reply is the next message that matches. In
     * both cases it may be a message that a channel follows. Without `by` and `only`, the reply is the next message
     * that no channel follows, or that contains the sent stamp. */
    request(
      message: string | ArrayBuffer | Uint8Array | object,
      options?: { name?: string; by?: string; only?: Only; timeout?: Duration },
    ): Promise<any>;
    /**
     * Follows the channel's stamps on this socket natively: no script runs per message. Returns a function to stop.
     * `at`: JSON pointer to the stamp, or its byte offset (from 0). Default: anywhere in the message.
     * `except`: values that mark a snapshot (it restates earlier messages). Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, including values of snapshots.
     */
    receives(channel: Channel, options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean }): () => void;
    /** The last value that `receives` stored (`keep: true`), with or without a stamp. A string is returned unchanged,
     * any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next message that matches `only`, even if a channel follows it. Without `only`, waits for the next
     * message that no channel follows. `json: true` parses the message. Messages that a channel follows are not stored
     * for later calls. */
    next(options?: { only?: Only; timeout?: Duration; json?: boolean }): Promise<any>;
    /** Runs `fn` for each message, or when the socket closes. Uses script time. Errors in `fn` fail the iteration. */
    on(event: "message", fn: (message: Message) => void): void;
    on(event: "close", fn: (code: number | undefined, reason: string) => void): void;
    /** Round-trip time of a ping in milliseconds. */
    ping(): Promise<number>;
    close(code?: number, reason?: string): Promise<void>;
  }
}
