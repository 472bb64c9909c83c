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
    /** Default: the user of the URL. */
    user?: string;
    /** Default: the password of the URL. */
    password?: string;
    /** Number of the database. Default: that of the URL, or 0. */
    database?: number;
    /** Whether the server is a node of a cluster. Each command then goes to the node of its key, and redirects are followed
     * (at most five per command). Connections to nodes are opened when they are needed. Default false. */
    cluster?: boolean;
    /** Name under which connecting is measured. Default: the server's address. */
    name?: string;
    /** Time limit until the server has accepted the client. */
    timeout?: Duration;
  }

  /** An argument of a command. Numbers are sent as text, bytes unchanged. */
  export type RedisArgument = string | number | bigint | ArrayBuffer | Uint8Array;

  /**
   * A value in a reply: `null`, boolean, number (bigint beyond 2^53), string, list, `Map` or `Set`. A string that is not
   * UTF-8 is an `ArrayBuffer`. In the reply to a pipeline or to `EXEC`, an error is a `RedisError`.
   */
  export type RedisValue = any;

  /** An error that the server sent in place of a reply. */
  export interface RedisError extends Failure {
    /** The error's code, such as "WRONGTYPE". */
    readonly code: string;
  }

  /** Options that commands and pipelines share. */
  export interface RedisCallOptions {
    /** Strings as `ArrayBuffer` instead of text. */
    binary?: boolean;
    /** Codes of errors that do not count as failures, such as "BUSYGROUP". The call then resolves to the `RedisError`. */
    expect?: string | string[];
    /** Time limit for each reply. A later reply is counted and discarded. */
    timeout?: Duration;
  }

  /** A command with options. */
  export interface RedisCommand extends RedisCallOptions {
    command: string;
    /** Name under which the command is measured. Default: the command, with its subcommand: "XGROUP CREATE". */
    name?: string;
  }

  /** An open connection to a Redis server. */
  export interface Redis {
    /** True until the connection is closed. */
    readonly open: boolean;
    /** What the server says about itself. `undefined` once the connection is closed. */
    readonly server: { readonly version: string; readonly mode: string; readonly role: string } | undefined;
    /**
     * Sends a command, such as `redis.call("SET", "a", 1)`, and resolves to its reply. Each command is measured as a round
     * trip under its name. Many commands may be in flight. Rejects with a `RedisError` if the reply is an error.
     */
    call(command: string | RedisCommand, ...args: RedisArgument[]): Promise<RedisValue>;
    /**
     * Sends all commands at once, and resolves to the list of their replies. An error is a value of the list. Each command
     * is measured as a round trip of its own.
     */
    pipeline(commands: [string, ...RedisArgument[]][], options?: RedisCallOptions): Promise<RedisValue[]>;
    /**
     * Subscribes to channels. Resolves when the server has confirmed all of them.
     * `pattern`: the names are patterns, such as "room.*".
     * `shard`: the names are channels of the shards of a cluster.
     */
    subscribe(
      channels: string | string[],
      options?: { pattern?: boolean; shard?: boolean; timeout?: Duration },
    ): Promise<RedisSubscription>;
    /** Runs `fn` when the connection closes, whichever side closed it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Closes the connection and its subscriptions. */
    close(): Promise<void>;
  }

  /** A published message. */
  export interface RedisMessage {
    /** The channel on which the message was published. */
    readonly channel: string;
    /** The pattern of the subscription, if it is one to patterns. */
    readonly pattern?: string;
    readonly text: string;
    /** The text as JSON, parsed on access. */
    readonly json: any;
    readonly bytes: ArrayBuffer;
  }

  /** A subscription, which shares its connection with the commands and other subscriptions. */
  export interface RedisSubscription {
    /** True until the subscription has ended. */
    readonly open: boolean;
    /**
     * Follows the channel's stamps in the published messages natively: no script runs per message. Returns a function to
     * stop.
     * `at`: JSON pointer to the value with the stamp, or byte offset of the stamp. Default: anywhere in the message.
     * `only`: values that the message must have.
     * `except`: values that mark a snapshot (it restates earlier messages). Its stamps do not count as deliveries.
     * `keep`: store the value at `at` for `last()`, including values of snapshots.
     */
    receives(
      channel: Channel,
      options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean },
    ): () => void;
    /** The last value that `receives` stored (`keep: true`), with or without a stamp. A string is returned unchanged,
     * any other value as JSON text. */
    last(channel: Channel): string | undefined;
    /** Waits for the next message. Returns stored messages first. */
    next(options?: { only?: Only; timeout?: Duration }): Promise<RedisMessage>;
    /** Runs `fn` for each message. Uses script time. Errors in `fn` fail the iteration. */
    on(event: "message", fn: (message: RedisMessage) => void): void;
    /** Runs `fn` when the subscription ends, whichever side ended it. */
    on(event: "close", fn: (reason: string) => void): void;
    /** Ends the subscription. Resolves when the server has confirmed it. */
    unsubscribe(): Promise<void>;
  }
}
