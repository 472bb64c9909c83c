/** Passive audiences: receivers without a script. Written by `headcount init`; do not edit. */
declare module "headcount" {
  /** Receivers without a script, as the audience of channels: `channel("said", { to: listeners })`. */
  export interface Audience {
    readonly [passive]: true;
  }
  const passive: unique symbol;

  /**
   * Adds `count` receivers to every level. They are divided among the workers, and connect before the level starts. No
   * script runs for what they receive. Call it at the top level of a module.
   *
   * All members must receive every message that any group sends to a channel of the audience. A message to a part of the
   * receivers needs an audience for that part. A member whose connection breaks is counted and does not return.
   */
  export function audience(count: number, options: AudienceOptions): Audience;

  export interface AudienceOptions {
    /** The channels whose messages the members receive, each with the place of its stamps: `{ said: { at: "/text" } }`. */
    receives: Record<string, AudienceChannel>;
    /** Describes how member `index` (0, 1, 2, …) connects. Runs once per member and level. `setup` is the value that the
     * scenario's `setup` returned. */
    connect(index: number, setup: any): AudienceMember;
    /** Name in failures. Default: "audience". */
    name?: string;
  }

  /** As in `socket.receives`. */
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
    /** Time limit until the member listens. */
    timeout?: Duration;
  }

  /** The parts of a URL, and when a member listens. */
  export interface AudienceAddress {
    headers?: Record<string, string>;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** Values of the message from which on the member listens, for servers that confirm a subscription. Default: the
     * member listens as soon as the connection is open and `send` is sent. */
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

  /** A member with a stream of server-sent events: over HTTP/2 if `options.http2` is set. */
  export interface AudienceEvents extends Omit<AudienceAddress, "ready"> {
    events: string | URL;
    /** The event from which on the member listens: its name, or values of its data. */
    ready?: string | Only;
  }

  /** A member with a Socket.IO socket, over WebSocket. */
  export interface AudienceSocketIo {
    /** Options of the socket, as in `user.socketio`. `url`: the server, by default the target. */
    socketio: Omit<SocketIoOptions, "transports" | "name" | "timeout"> & { url?: string | URL };
    /** Events to send as soon as the server has accepted the namespace, such as `["join", { room: 1 }]`. Without bytes. */
    send?: [event: string, ...args: unknown[]][];
    /** The event from which on the member listens: its name, or values of its first argument. Default: the member listens
     * as soon as the server has accepted the namespace and `send` is sent. */
    ready?: string | Only;
  }

  /** A member that subscribes to a subject of a NATS server. It listens when the server has confirmed the subscription. */
  export interface AudienceNats {
    /** Options of the connection, as in `user.nats`. `connection` is "shared" by default: the members of a worker with the
     * same options share one connection, and each has a subscription of its own. */
    nats: Omit<NatsOptions, "echo" | "name" | "timeout">;
    /** The subject, which may contain the wildcards `*` and `>`. */
    subject: string;
  }

  /** A member that subscribes to channels of a Redis server, on a connection of its own. It listens when the server has
   * confirmed the subscription. */
  export interface AudienceRedis {
    /** Options of the connection, as in `user.redis`. */
    redis: Omit<RedisOptions, "cluster" | "name" | "timeout">;
    channels: string | string[];
    /** The names are patterns, such as "room.*". */
    pattern?: boolean;
    /** The names are channels of the shards of a cluster. */
    shard?: boolean;
  }
}
