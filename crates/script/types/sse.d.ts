/**
 * Types of headcount scenarios that use server-sent events. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Opens a stream of server-sent events, with its own HTTP/1.1 connection, or on the user's HTTP/2 connection with
     * `http2: true`. Resolves when the server accepts it. */
    events(url: string | URL, options?: EventsOptions): Promise<EventStream>;
  }

  export interface EventsOptions {
    headers?: Record<string, string>;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** The id after which the stream continues, sent as `Last-Event-ID`. */
    lastEventId?: string;
    /** Whether to reconnect, as browsers do, after the server or the network has ended the connection. Default true. */
    reconnect?: boolean;
    /** Name under which the stream is measured. Reconnections are measured under this name and " (reconnect)".
     * Default: the path. */
    name?: string;
    /** Time limit until the stream is open. */
    timeout?: Duration;
  }

  export interface ServerEvent {
    /** "message" unless the server chose another name. */
    readonly event: string;
    /** The id of this event, or else of the last event before it that had one. */
    readonly id: string;
    readonly data: string;
    /** The data as JSON, parsed on access. */
    readonly json: any;
  }

  /** An open stream of server-sent events. */
  export interface EventStream {
    /** True until the stream is closed; also while it reconnects. */
    readonly open: boolean;
    /** The id of the last event that had one, or "". `undefined` once the stream is closed. */
    readonly lastEventId: string | undefined;
    /** The number of times that the stream was reconnected. `undefined` once the stream is closed. */
    readonly reconnects: number | undefined;
    /**
     * Follows the channel's stamps on this stream natively: no script runs per event. Returns a function to stop. The
     * stream follows its channels also after it reconnects: an event that the server sends in the meantime, and does not
     * repeat, is lost.
     * `event`: the name of the event. Default: any event.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp. Default: anywhere in the data.
     * `only`: values that the data must have.
     * `except`: values that mark a snapshot (it restates earlier events). Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, including values of snapshots.
     */
    receives(
      channel: Channel,
      options?: { event?: string; at?: string | number; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value that `receives` stored (`keep: true`), with or without a stamp. A string is returned unchanged,
     * any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next event, of this name if one is given. Returns stored events first. */
    next(options?: { event?: string; only?: Only; timeout?: Duration }): Promise<ServerEvent>;
    /** Runs `fn` for each event. Uses script time. Errors in `fn` fail the iteration. */
    on(event: "event", fn: (event: ServerEvent) => void): void;
    /** Runs `fn` when the stream closes, whichever side closed it. It does not run when the stream reconnects. */
    on(event: "close", fn: (reason: string) => void): void;
    close(): Promise<void>;
  }
}
