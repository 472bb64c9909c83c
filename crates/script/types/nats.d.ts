/**
 * Types of headcount scenarios that use NATS. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Connects to a NATS server. Resolves when the server has accepted the login. */
    nats(options?: NatsOptions): Promise<Nats>;
  }

  export interface NatsOptions {
    /** `nats://host:4222`, or `tls://host:4222` to require TLS. Default: the target. */
    url?: string | URL;
    /** Login with a name and a password. Give only one kind of login: this, `token`, `nkey` or `credentials`. */
    user?: string;
    password?: string;
    token?: string;
    /** Seed of the user's nkey (`SU…`). */
    nkey?: string;
    /** Text of a credentials file (`.creds`), not its path. */
    credentials?: string;
    /** "own" (default): a connection for this user only. "shared": one connection for all users of a worker thread who
     * connect with the same URL, login, `echo` and `name`. */
    connection?: "own" | "shared";
    /** Whether the server sends messages back on the connection that published them. Default true. If a shared
     * connection has `echo: false`, its users do not receive each other's messages either. */
    echo?: boolean;
    /** Name under which the connection is measured. Default "nats". */
    name?: string;
    /** Time limit for connecting, until the server has accepted the login. */
    timeout?: Duration;
  }

  /** Strings and bytes are sent unchanged, objects as JSON. */
  export type NatsPayload = string | ArrayBuffer | Uint8Array | object;
  /** A header with several values is a list. */
  export type NatsHeaders = Record<string, string | string[]>;

  /** A received message. */
  export interface NatsMessage {
    readonly subject: string;
    /** The subject for replies, if the sender wants one. */
    readonly reply: string | undefined;
    readonly headers: NatsHeaders;
    /** The status, if the server sent one instead of a message, such as 503 (no subscribers). */
    readonly status?: { code: number; description: string };
    readonly text: string;
    /** The payload as JSON, parsed on access. */
    readonly json: any;
    readonly bytes: Uint8Array;
    /** Publishes a reply to the subject `reply`. Throws if there is none. */
    respond(payload?: NatsPayload, options?: { headers?: NatsHeaders }): void;
  }

  /** An open connection to a NATS server. */
  export interface Nats {
    readonly open: boolean;
    /** Properties of the server. `undefined` after the connection has closed. */
    readonly server: { id: string; version: string; maxPayload: number; jetstream: boolean } | undefined;
    /** Publishes a message. Does not wait for the server. */
    publish(subject: string, payload?: NatsPayload, options?: { headers?: NatsHeaders; reply?: string }): void;
    /**
     * Subscribes to a subject, which may contain the wildcards `*` and `>`. Resolves when the server has confirmed the
     * subscription. Messages published after that are not missed.
     * `queue`: name of a queue group. The server sends each message to only one member of the group.
     * `max`: number of messages after which the subscription ends.
     */
    subscribe(subject: string, options?: { queue?: string; max?: number; timeout?: Duration }): Promise<Subscription>;
    /** Sends a message and waits for its reply. Measured as a round trip under the subject, or under `name`. Rejects
     * immediately if nobody has subscribed to the subject. */
    request(
      subject: string,
      payload?: NatsPayload,
      options?: { headers?: NatsHeaders; timeout?: Duration; name?: string },
    ): Promise<NatsMessage>;
    /** Waits until the server has processed everything sent before. Resolves to the waiting time in milliseconds. */
    flush(): Promise<number>;
    readonly jetstream: JetStream;
    /** Runs `fn` when the connection closes, regardless of which side closed it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Waits until the server has processed everything sent before, then closes the connection. */
    close(): Promise<void>;
  }

  /** A subscription. */
  export interface Subscription<M extends NatsMessage = NatsMessage> {
    readonly subject: string;
    readonly open: boolean;
    /**
     * Tracks the channel's stamps in the payloads without running a script for each message. Returns a function that
     * stops tracking.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp (from 0). Default: anywhere in the
     * payload.
     * `only`: values that the payload must have, at JSON pointers.
     * `except`: values that identify a snapshot, which repeats earlier messages. Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, even if it comes from a snapshot.
     */
    receives(channel: Channel, options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean }): () => void;
    /** The last value that `receives` stored. Requires `keep: true`. The value need not contain a stamp. A string is
     * returned unchanged, any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next message that matches `only`. Unread messages that no channel follows are stored (at most 64)
     * and come first. */
    next(options?: { only?: Only; timeout?: Duration }): Promise<M>;
    /** Runs `fn` for each message, which costs script time. Errors in `fn` fail the iteration. */
    on(event: "message", fn: (message: M) => void): void;
    /** Runs `fn` when the subscription ends, regardless of which side ended it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Ends the subscription. Resolves when the server has confirmed the end. Messages that arrived before this call
     * still count as deliveries. */
    unsubscribe(): Promise<void>;
  }

  /** JetStream: streams of stored messages. */
  export interface JetStream {
    /** Publishes a message to a stream and waits for the server's confirmation. Measured as a round trip under the
     * subject, or under `name`. `id`: of several messages with the same id, the server stores only the first, and
     * confirms the others as duplicates. */
    publish(
      subject: string,
      payload?: NatsPayload,
      options?: { id?: string; headers?: NatsHeaders; timeout?: Duration; name?: string },
    ): Promise<{ stream: string; sequence: number; duplicate: boolean }>;
    /** Sends a request to the JetStream API, such as `STREAM.CREATE.ORDERS`. Resolves to the reply's JSON, and rejects
     * if the reply is an error. Measured as a round trip under `name`, by default `$JS.API.` and the first two words of
     * the operation. */
    api(operation: string, payload?: object, options?: { timeout?: Duration; name?: string }): Promise<any>;
    /** Returns a pull consumer. It must already exist on the server when it is used. */
    consumer(stream: string, name: string): Consumer;
  }

  /** A pull consumer of JetStream. */
  export interface Consumer {
    /** Requests `count` messages. Resolves when all have arrived, or with fewer messages after `timeout` (default 5 s).
     * The script must acknowledge them. Fetches of one consumer object run one after the other. */
    fetch(count: number, options?: { timeout?: Duration }): Promise<StoredMessage[]>;
    /**
     * Requests messages continuously, `batch` at a time (default 100). No script runs for this. The messages arrive on
     * the subscription.
     * `ack`: with "each" (default), headcount acknowledges every message. With "none", the script must do so.
     */
    subscribe(options?: { batch?: number; ack?: "each" | "none"; timeout?: Duration }): Promise<Subscription<StoredMessage>>;
  }

  /** A message of a consumer. */
  export interface StoredMessage extends NatsMessage {
    readonly stream: string;
    /** The message's number in the stream. */
    readonly sequence: number;
    /** The number of times that the server has sent the message, including this time. */
    readonly delivered: number;
    /** Tells the server that the message was processed. */
    ack(): void;
    /** Tells the server that the message was not processed. The server sends it again, immediately or after `delay`. */
    nak(options?: { delay?: Duration }): void;
    /** Tells the server that the message is being processed. The server then waits longer for the acknowledgement. */
    progress(): void;
    /** Tells the server never to send the message again. */
    term(): void;
  }
}
