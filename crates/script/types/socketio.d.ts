/**
 * Types of headcount scenarios that use Socket.IO. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Opens a Socket.IO socket (protocol 5) for one namespace, with its own connection. */
    socketio(url: string | URL, options?: SocketIoOptions): Promise<SocketIo>;
    /** Opens a Socket.IO socket on the target. */
    socketio(options?: SocketIoOptions): Promise<SocketIo>;
  }

  export interface SocketIoOptions {
    /** Default "/". */
    namespace?: string;
    /** Authentication data, sent when the socket connects to the namespace. */
    auth?: Record<string, unknown>;
    /** Default `["websocket"]`. */
    transports?: ["websocket"] | ["polling", "websocket"] | ["polling"];
    /** Default "/socket.io/". */
    path?: string;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    headers?: Record<string, string>;
    /** Name under which the socket is measured. Default: path and namespace. */
    name?: string;
    /** Time limit until the server accepts the namespace. */
    timeout?: Duration;
  }

  /** An open Socket.IO socket. Arguments are sent as JSON, and an `ArrayBuffer` or `Uint8Array` in them as binary. */
  export interface SocketIo {
    /** The socket id assigned by the server. */
    readonly id: string;
    readonly open: boolean;
    emit(event: string, ...args: unknown[]): void;
    /**
     * Emits an event and waits for its acknowledgement: a round trip, measured under the event's name. Resolves to the
     * value of the acknowledgement, or to a list if it has several values.
     */
    request(event: string | { event: string; timeout?: Duration; name?: string }, ...args: unknown[]): Promise<any>;
    /** Runs `fn` for each event of this name (uses script time). The result of `fn` is sent as the acknowledgement. */
    on(event: string, fn: (...args: any[]) => unknown): void;
    /** Runs `fn` when the socket closes, whichever side closed it. */
    on(event: "disconnect", fn: (reason: string) => void): void;
    /** Waits for the next event of this name. Resolves to its value, or to a list if it has several values. */
    next(event: string, options?: { timeout?: Duration }): Promise<any>;
    /**
     * Tracks the channel's stamps in events named `event` without running a script for each event. Returns a function to
     * stop.
     * `at`, `only`, `except`: JSON pointers into the first argument.
     * `except`: values that mark a snapshot (it restates earlier events). Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, including values of snapshots.
     */
    receives(
      channel: Channel,
      options: { event: string; at?: string; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value that `receives` stored (`keep: true`), with or without a stamp. A string is returned unchanged,
     * any other value as JSON text. */
    last(channel: Channel): string | undefined;
    close(): Promise<void>;
  }
}
