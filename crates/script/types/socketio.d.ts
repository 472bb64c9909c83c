/**
 * Types of headcount scenarios that use Socket.IO. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Opens a Socket.IO socket (protocol 5) for one namespace, on a connection of its own. */
    socketio(url: string | URL, options?: SocketIoOptions): Promise<SocketIo>;
    /** Opens a Socket.IO socket on the target, on a connection of its own. */
    socketio(options?: SocketIoOptions): Promise<SocketIo>;
  }

  export interface SocketIoOptions {
    /** Namespace of the socket. Default "/". */
    namespace?: string;
    /** Authentication data, sent when the socket connects to the namespace. */
    auth?: Record<string, unknown>;
    /** Transports, in order. With `["polling", "websocket"]`, the socket starts with polling and upgrades to WebSocket.
     * Default `["websocket"]`. */
    transports?: ["websocket"] | ["polling", "websocket"] | ["polling"];
    /** Path of the Socket.IO server. Default "/socket.io/". */
    path?: string;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    headers?: Record<string, string>;
    /** Name under which the connection is measured. Default: path and namespace. */
    name?: string;
    /** Time limit for connecting, until the server has accepted the namespace. */
    timeout?: Duration;
  }

  /** An open Socket.IO socket. Arguments are sent as JSON. An `ArrayBuffer` or `Uint8Array` in them is sent as a binary
   * attachment. */
  export interface SocketIo {
    /** The socket id assigned by the server. */
    readonly id: string;
    readonly open: boolean;
    emit(event: string, ...args: unknown[]): void;
    /**
     * Emits an event and waits for its acknowledgement. Measured as a round trip under the event's name, or under
     * `name`. Resolves to the value of the acknowledgement, or to a list if it has several values.
     */
    request(event: string | { event: string; timeout?: Duration; name?: string }, ...args: unknown[]): Promise<any>;
    /** Runs `fn` for each event of this name, which costs script time. If the server requests an acknowledgement, it
     * gets the result of the first handler, or of its promise. */
    on(event: string, fn: (...args: any[]) => unknown): void;
    /** Runs `fn` when the socket closes, regardless of which side closed it. */
    on(event: "disconnect", fn: (reason: string) => void): void;
    /** Waits for the next event of this name. Resolves to its argument, or to a list if it has several arguments. */
    next(event: string, options?: { timeout?: Duration }): Promise<any>;
    /**
     * Tracks the channel's stamps in events named `event` without running a script for each event. Returns a function
     * that stops tracking.
     * `at`: JSON pointer to the value with the stamp, in the first argument. Default: anywhere in the arguments.
     * `only`: values that the first argument must have, at JSON pointers.
     * `except`: values that identify a snapshot, which repeats earlier events. Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, even if it comes from a snapshot.
     */
    receives(
      channel: Channel,
      options: { event: string; at?: string; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value that `receives` stored. Requires `keep: true`. The value need not contain a stamp. A string is
     * returned unchanged, any other value as JSON text. */
    last(channel: Channel): string | undefined;
    close(): Promise<void>;
  }
}
