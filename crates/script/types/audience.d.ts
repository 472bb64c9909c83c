/** Passive audiences: receivers without a script. Written by `headcount init`; do not edit. */
declare module "headcount" {
  /** Receivers without a script. A channel addresses them with `to`: `channel("said", { to: listeners })`. */
  export interface Audience {
    readonly [passive]: true;
  }
  const passive: unique symbol;

  /**
   * Adds `count` receivers to every level. They are divided among the workers, and connect before the level starts. No
   * script runs for the messages that they receive. Call this function at the top level of a module.
   *
   * Every member must receive every message that any group sends to a channel of the audience. To address only some of
   * the receivers, declare a separate audience for them. If the connection of a member breaks, headcount counts a
   * failure and does not connect the member again.
   */
  export function audience(count: number, options: AudienceOptions): Audience;

  export interface AudienceOptions {
    /** The channels whose messages the members receive, each with the location of its stamps:
     * `{ said: { at: "/text" } }`. */
    receives: Record<string, AudienceChannel>;
    /** Returns how member `index` (0, 1, 2, …) connects. Called once per member in each level. `setup` is the value
     * that the scenario's `setup` returned. */
    connect(index: number, setup: any): AudienceMember;
    /** Name of the audience in failures. Default: "audience", then "audience 2" and so on. */
    name?: string;
  }

  /** Location of a channel's stamps. `at`, `only` and `except` mean the same as in `socket.receives`. */
  export interface AudienceChannel {
    at?: string | number;
    only?: Only;
    except?: Only;
    /** Name of the server-sent event or Socket.IO event that carries the stamps. */
    event?: string;
    /** A delivery that takes longer than this is late. Default: `options.deadline`. */
    deadline?: Duration;
  }

  /** How a member connects, and what it receives. */
  export type AudienceMember = AudienceLimit & (AudienceWebSocket | AudienceEvents | AudienceSocketIo | AudienceNats | AudienceRedis);

  export interface AudienceLimit {
    /** Time limit for connecting, until the member listens. */
    timeout?: Duration;
  }

  /** Headers and URL parts of the request that opens the connection, and when the member listens. */
  export interface AudienceAddress {
    headers?: Record<string, string>;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** For servers that confirm a subscription: values of the confirming message. The member listens when it has
     * received this message. Default: the member listens as soon as the connection is open and `send` is sent. */
    ready?: Only;
  }

  /** A member with a WebSocket. */
  export interface AudienceWebSocket extends AudienceAddress {
    websocket: string | URL;
    subprotocols?: string[];
    documents?: SocketOptions["documents"];
    /** Messages to send as soon as the WebSocket is open. */
    send?: Message[] | object[];
  }

  /** A member with a stream of server-sent events. It uses HTTP/2 if `options.http2` is set. */
  export interface AudienceEvents extends Omit<AudienceAddress, "ready"> {
    events: string | URL;
    /** The event that confirms the subscription: its name, or values of its data. The member listens when it has
     * received this event. Default: the member listens as soon as the stream is open. */
    ready?: string | Only;
  }

  /** A member with a Socket.IO socket. It always uses the WebSocket transport. */
  export interface AudienceSocketIo {
    /** Options of the socket, as in `user.socketio`. `url`: address of the server. Default: the target. */
    socketio: Omit<SocketIoOptions, "transports" | "name" | "timeout"> & { url?: string | URL };
    /** Events to send as soon as the server has accepted the namespace, such as `["join", { room: 1 }]`. Arguments
     * cannot contain bytes. */
    send?: [event: string, ...args: unknown[]][];
    /** The event that confirms the subscription: its name, or values of its first argument. The member listens when it
     * has received this event. Default: the member listens as soon as the server has accepted the namespace and `send`
     * is sent. */
    ready?: string | Only;
  }

  /** A member that subscribes to a subject of a NATS server. It listens when the server has confirmed the
   * subscription. */
  export interface AudienceNats {
    /** Options of the connection, as in `user.nats`. The default of `connection` is "shared": the members on one worker
     * thread that have the same options share one connection. Each member has its own subscription. */
    nats: Omit<NatsOptions, "echo" | "name" | "timeout">;
    /** The subject, which may contain the wildcards `*` and `>`. */
    subject: string;
  }

  /** A member that subscribes to channels of a Redis server. Each member has its own connection. It listens when the
   * server has confirmed the subscription. */
  export interface AudienceRedis {
    /** Options of the connection, as in `user.redis`. */
    redis: Omit<RedisOptions, "cluster" | "name" | "timeout">;
    channels: string | string[];
    /** Whether `channels` are patterns, such as "room.*". Default false. */
    pattern?: boolean;
    /** Whether `channels` are shard channels of a cluster. Default false. */
    shard?: boolean;
  }
}
