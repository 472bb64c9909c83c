/**
 * Types of headcount scenarios that use Redis. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export interface User {
    /** Connects to a Redis server (version 6 or later, RESP3). Resolves when the server has accepted the client. */
    redis(options?: RedisOptions): Promise<Redis>;
  }

  export interface RedisOptions {
    /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. Default: the target. */
    url?: string | URL;
    /** Default: the user in the URL. */
    user?: string;
    /** Default: the password in the URL. */
    password?: string;
    /** Number of the database. Default: the number in the URL, or 0. */
    database?: number;
    /** Whether the server is a node of a cluster. If true, each command goes to the node that holds its first key, and
     * redirects are followed (at most five per command). Connections to the other nodes are opened when they are
     * needed. Default false. */
    cluster?: boolean;
    /** Name under which the connection is measured. Default: the server's address, such as `redis://127.0.0.1:6379`. */
    name?: string;
    /** Time limit for connecting, until the server has accepted the client. */
    timeout?: Duration;
  }

  /** An argument of a command. Numbers are sent as text, bytes unchanged. */
  export type RedisArgument = string | number | bigint | ArrayBuffer | Uint8Array;

  /**
   * A value in a reply: `null`, boolean, number, string, list, `Map` or `Set`. A whole number beyond 2^53 is a bigint.
   * A string that is not UTF-8 is an `ArrayBuffer`. In the reply to a pipeline or to `EXEC`, an error is a
   * `RedisError`.
   */
  export type RedisValue = any;

  /** An error that the server sent in place of a reply. */
  export interface RedisError extends Failure {
    /** The error's code, such as "WRONGTYPE". */
    readonly code: string;
  }

  /** Options that commands and pipelines share. */
  export interface RedisCallOptions {
    /** Whether strings in replies are returned as `ArrayBuffer` instead of text. Default false. */
    binary?: boolean;
    /** Error codes that do not count as failures, such as "BUSYGROUP". The call resolves to the `RedisError` instead of
     * rejecting. */
    expect?: string | string[];
    /** Time limit for each reply. A reply that arrives later is discarded, and counted in the report. */
    timeout?: Duration;
  }

  /** A command with options. */
  export interface RedisCommand extends RedisCallOptions {
    command: string;
    /** Name under which the command is measured. Default: the command with its subcommand, such as "XGROUP CREATE". */
    name?: string;
  }

  /** An open connection to a Redis server. */
  export interface Redis {
    /** True until the connection is closed. */
    readonly open: boolean;
    /** Properties of the server. `undefined` after the connection has closed. */
    readonly server: { readonly version: string; readonly mode: string; readonly role: string } | undefined;
    /**
     * Sends a command and resolves to its reply: `redis.call("SET", "a", 1)`. Rejects with a `RedisError` if the reply
     * is an error. Each command is measured as a round trip under its name. Several commands can be in flight at the
     * same time.
     */
    call(command: string | RedisCommand, ...args: RedisArgument[]): Promise<RedisValue>;
    /**
     * Sends all commands in one write, and resolves to the list of their replies. An error is an element of the list,
     * and does not reject the promise. Each command is measured as a separate round trip.
     */
    pipeline(commands: [string, ...RedisArgument[]][], options?: RedisCallOptions): Promise<RedisValue[]>;
    /**
     * Subscribes to channels. Resolves when the server has confirmed all of them.
     * `pattern`: `channels` are patterns, such as "room.*" (`PSUBSCRIBE`).
     * `shard`: `channels` are shard channels of a cluster (`SSUBSCRIBE`).
     */
    subscribe(
      channels: string | string[],
      options?: { pattern?: boolean; shard?: boolean; timeout?: Duration },
    ): Promise<RedisSubscription>;
    /** Runs `fn` when the connection closes, regardless of which side closed it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Closes the connection and its subscriptions. */
    close(): Promise<void>;
  }

  /** A published message. */
  export interface RedisMessage {
    /** The channel on which the message was published. */
    readonly channel: string;
    /** The pattern that matched the channel, if the subscription is to patterns. */
    readonly pattern?: string;
    readonly text: string;
    /** The text as JSON, parsed on access. */
    readonly json: any;
    readonly bytes: ArrayBuffer;
  }

  /** A subscription. Commands and other subscriptions can use the same connection. */
  export interface RedisSubscription {
    /** True until the subscription has ended. */
    readonly open: boolean;
    /**
     * Tracks the channel's stamps in the published messages without running a script for each message. Returns a
     * function that stops tracking.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp (from 0). Default: anywhere in the
     * message.
     * `only`: values that the message must have, at JSON pointers.
     * `except`: values that identify a snapshot, which repeats earlier messages. Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, even if it comes from a snapshot.
     */
    receives(
      channel: Channel,
      options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value that `receives` stored. Requires `keep: true`. The value need not contain a stamp. A string is
     * returned unchanged, any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next message that matches `only`. Unread messages that no channel follows are stored (at most 64)
     * and come first. */
    next(options?: { only?: Only; timeout?: Duration }): Promise<RedisMessage>;
    /** Runs `fn` for each message, which costs script time. Errors in `fn` fail the iteration. */
    on(event: "message", fn: (message: RedisMessage) => void): void;
    /** Runs `fn` when the subscription ends, regardless of which side ended it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Ends the subscription. Resolves when the server has confirmed the end. */
    unsubscribe(): Promise<void>;
  }
}
