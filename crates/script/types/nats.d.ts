/**
 * Types of headcount scenarios that use NATS. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Connects to a NATS server. Resolves when the server has accepted the user. */
    nats(options?: NatsOptions): Promise<Nats>;
  }

  export interface NatsOptions {
    /** `nats://host:4222`, or `tls://host:4222` to require TLS. Default: the target. */
    url?: string | URL;
    user?: string;
    password?: string;
    token?: string;
    /** Seed of a user's nkey (`SU…`). */
    nkey?: string;
    /** Content of a credentials file (`.creds`). */
    credentials?: string;
    /** "own" (default): a connection for this user. "shared": one connection for all users of a worker who connect with the
     * same options. */
    connection?: "own" | "shared";
    /** Whether the user receives its own messages. Default true. */
    echo?: boolean;
    /** Name under which the connection is measured. Default "nats". */
    name?: string;
    /** Time limit until the server has accepted the user. */
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
    /** The status, if the server sent one instead of a message, such as 503: nobody has subscribed. */
    readonly status?: { code: number; description: string };
    readonly text: string;
    /** The payload as JSON, parsed on access. */
    readonly json: any;
    readonly bytes: Uint8Array;
    /** Publishes to the subject for replies. */
    respond(payload?: NatsPayload, options?: { headers?: NatsHeaders }): void;
  }

  /** An open connection to a NATS server. */
  export interface Nats {
    readonly open: boolean;
    /** Properties of the server. `undefined` once the connection is closed. */
    readonly server: { id: string; version: string; maxPayload: number; jetstream: boolean } | undefined;
    /** Publishes a message, without waiting for the server. */
    publish(subject: string, payload?: NatsPayload, options?: { headers?: NatsHeaders; reply?: string }): void;
    /**
     * Subscribes to a subject, which may contain the wildcards `*` and `>`. Resolves when the server has confirmed the
     * subscription, so that no later message is missed.
     * `queue`: the queue group, whose members share the messages.
     * `max`: number of messages after which the subscription ends.
     */
    subscribe(subject: string, options?: { queue?: string; max?: number; timeout?: Duration }): Promise<Subscription>;
    /** Sends a message and waits for its reply: a round trip, measured under the subject or `name`. Rejects at once if
     * nobody has subscribed to the subject. */
    request(
      subject: string,
      payload?: NatsPayload,
      options?: { headers?: NatsHeaders; timeout?: Duration; name?: string },
    ): Promise<NatsMessage>;
    /** Resolves when the server has processed everything sent before, to the time that this took, in milliseconds. */
    flush(): Promise<number>;
    readonly jetstream: JetStream;
    /** Runs `fn` when the connection closes, whichever side closed it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Closes the connection when the server has processed everything sent before. */
    close(): Promise<void>;
  }

  /** A subscription. */
  export interface Subscription<M extends NatsMessage = NatsMessage> {
    readonly subject: string;
    readonly open: boolean;
    /**
     * Follows the channel's stamps in the payloads natively: no script runs per message. Returns a function to stop.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp. Default: anywhere in the payload.
     * `only`: values that the payload must have.
     * `except`: values that mark a snapshot (it restates earlier messages). Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, including values of snapshots.
     */
    receives(channel: Channel, options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean }): () => void;
    /** The last value that `receives` stored (`keep: true`), with or without a stamp. A string is returned unchanged,
     * any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next message. Returns stored messages first. */
    next(options?: { only?: Only; timeout?: Duration }): Promise<M>;
    /** Runs `fn` for each message. Uses script time. Errors in `fn` fail the iteration. */
    on(event: "message", fn: (message: M) => void): void;
    /** Runs `fn` when the subscription ends, whichever side ended it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Ends the subscription. Resolves when the server has confirmed this. Messages that had arrived still count. */
    unsubscribe(): Promise<void>;
  }

  /** JetStream: streams of stored messages. */
  export interface JetStream {
    /** Publishes a message to a stream and waits for the server's confirmation: a round trip, measured under the subject
     * or `name`. `id`: the server stores only one message with this id, and confirms the others as duplicates. */
    publish(
      subject: string,
      payload?: NatsPayload,
      options?: { id?: string; headers?: NatsHeaders; timeout?: Duration; name?: string },
    ): Promise<{ stream: string; sequence: number; duplicate: boolean }>;
    /** Sends a request of the JetStream API, such as `STREAM.CREATE.ORDERS`: a round trip. Resolves to the reply's JSON.
     * Rejects if the reply is an error. */
    api(operation: string, payload?: object, options?: { timeout?: Duration; name?: string }): Promise<any>;
    /** A pull consumer, which must exist. */
    consumer(stream: string, name: string): Consumer;
  }

  /** A pull consumer of JetStream. */
  export interface Consumer {
    /** Requests messages. Resolves when `count` messages have arrived, or with fewer when the time is over (default 5 s).
     * The script acknowledges them. Fetches of one consumer object run one after the other. */
    fetch(count: number, options?: { timeout?: Duration }): Promise<StoredMessage[]>;
    /**
     * Requests messages natively and without end, `batch` at a time (default 100). They arrive on the subscription.
     * `ack`: "each" (default) acknowledges every message natively. With "none", the script does.
     */
    subscribe(options?: { batch?: number; ack?: "each" | "none"; timeout?: Duration }): Promise<Subscription<StoredMessage>>;
  }

  /** A message of a consumer. */
  export interface StoredMessage extends NatsMessage {
    readonly stream: string;
    /** The message's number in the stream. */
    readonly sequence: number;
    /** The number of times that the message was delivered, including this time. */
    readonly delivered: number;
    /** The message was processed. */
    ack(): void;
    /** The message was not processed. The server delivers it again, at once or after `delay`. */
    nak(options?: { delay?: Duration }): void;
    /** The message is being processed, so the server waits longer for the acknowledgement. */
    progress(): void;
    /** The message is never delivered again. */
    term(): void;
  }
}
