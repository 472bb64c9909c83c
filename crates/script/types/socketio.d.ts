/**
 * Types of headcount scenarios that speak Socket.IO. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Opens a Socket.IO socket (protocol 5): one namespace over a connection of its own. */
    socketio(url: string, options?: SocketIoOptions): Promise<SocketIo>;
    /** The same on the target. */
    socketio(options?: SocketIoOptions): Promise<SocketIo>;
  }

  export interface SocketIoOptions {
    /** Default "/". */
    namespace?: string;
    /** Goes to the server with the connection. */
    auth?: Record<string, unknown>;
    /** Default `["websocket"]`. */
    transports?: ["websocket"] | ["polling", "websocket"] | ["polling"];
    /** Default "/socket.io/". */
    path?: string;
    query?: Record<string, string | number | boolean>;
    headers?: Record<string, string>;
    /** Measured under this name instead of path and namespace. */
    name?: string;
    /** Time until the namespace is granted. */
    timeout?: Duration;
  }

  /** An open Socket.IO socket. Arguments are JSON; an `ArrayBuffer` or `Uint8Array` in them goes as it is. */
  export interface SocketIo {
    /** The id that the server gave. */
    readonly id: string;
    readonly open: boolean;
    emit(event: string, ...args: unknown[]): void;
    /**
     * Emits an event and awaits its acknowledgement, an exchange under the event's name: what it carries, or a list if
     * that is several values.
     */
    request(event: string | { event: string; timeout?: Duration; name?: string }, ...args: unknown[]): Promise<any>;
    /** Runs `fn` for each such event (that costs script time). What it returns acknowledges it, if the server asks. */
    on(event: string, fn: (...args: any[]) => unknown): void;
    /** The socket is gone, by whomever. */
    on(event: "disconnect", fn: (reason: string) => void): void;
    /** The next event of this name: what it carries, or a list if that is several values. */
    next(event: string, options?: { timeout?: Duration }): Promise<any>;
    /**
     * Follows the channel's stamps in these events, natively: no script runs per event. Pointers lead into the first
     * argument. `except`: where these values stand an event says again what was said, as with a whole document, and is no
     * delivery. `keep`: the last value at the pointer is kept for `last`, said again or not. The function that comes back
     * ends it.
     */
    receives(
      channel: Channel,
      options: { event: string; at?: string; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value at the channel's pointer, stamped or not, where `receives` keeps it: a string, else JSON text. */
    last(channel: Channel): string | undefined;
    close(): Promise<void>;
  }
}
