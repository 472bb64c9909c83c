/**
 * Types of headcount scenarios that use server-sent events. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Opens a stream of server-sent events on an HTTP/1.1 connection of its own. With the option `http2` of the run,
     * opens it on the user's HTTP/2 connection. Resolves when the server has responded with status 200 and the content
     * type `text/event-stream`. */
    events(url: string | URL, options?: EventsOptions): Promise<EventStream>;
  }

  export interface EventsOptions {
    headers?: Record<string, string>;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** Id of the last event that was received earlier, sent as `Last-Event-ID`. The server continues after this
     * event. */
    lastEventId?: string;
    /** Whether to reconnect, as browsers do, when the server or the network ends the connection. Default true. */
    reconnect?: boolean;
    /** Name under which opening the stream is measured. Reconnections are measured under this name with " (reconnect)"
     * appended. Default: the path. */
    name?: string;
    /** Time limit for opening the stream. */
    timeout?: Duration;
  }

  export interface ServerEvent {
    /** The event's name. "message" if the server sent no name. */
    readonly event: string;
    /** The id of this event. If it has none, the id of the last earlier event that had one. */
    readonly id: string;
    readonly data: string;
    /** The data as JSON, parsed on access. */
    readonly json: any;
  }

  /** An open stream of server-sent events. */
  export interface EventStream {
    /** True until the stream is closed, including while it reconnects. */
    readonly open: boolean;
    /** The id of the last event that had one, or "". `undefined` after the stream has closed. */
    readonly lastEventId: string | undefined;
    /** Number of reconnections. `undefined` after the stream has closed. */
    readonly reconnects: number | undefined;
    /**
     * Tracks the channel's stamps on this stream without running a script for each event. Returns a function that stops
     * tracking. Tracking continues after a reconnection. An event that the server sends while the stream reconnects,
     * and does not repeat, counts as lost.
     * `event`: name of the events with stamps. Default: events of any name.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp (from 0). Default: anywhere in the
     * data.
     * `only`: values that the data must have, at JSON pointers.
     * `except`: values that identify a snapshot, which repeats earlier events. Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, even if it comes from a snapshot.
     */
    receives(
      channel: Channel,
      options?: { event?: string; at?: string | number; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value that `receives` stored. Requires `keep: true`. The value need not contain a stamp. A string is
     * returned unchanged, any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next event with the name `event` and the values `only`, if they are given. Unread events that no
     * channel follows are stored (at most 64) and come first. */
    next(options?: { event?: string; only?: Only; timeout?: Duration }): Promise<ServerEvent>;
    /** Runs `fn` for each event, which costs script time. Errors in `fn` fail the iteration. */
    on(event: "event", fn: (event: ServerEvent) => void): void;
    /** Runs `fn` when the stream closes, regardless of which side closed it. Does not run when the stream
     * reconnects. */
    on(event: "close", fn: (reason: string) => void): void;
    close(): Promise<void>;
  }
}
