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
    /** Name of the server-sent event that carries the stamps. */
    event?: string;
    /** A delivery that takes longer than this is late. Default: `options.deadline`. */
    deadline?: Duration;
  }

  /** The connection of a member: a WebSocket or a stream of server-sent events. */
  export type AudienceMember = AudienceConnection &
    ({ websocket: string | URL; subprotocols?: string[]; documents?: SocketOptions["documents"]; send?: Message[] | object[] } | {
      events: string | URL;
    });

  export interface AudienceConnection {
    headers?: Record<string, string>;
    query?: Record<string, string | number | boolean> | URLSearchParams;
    params?: Record<string, string | number>;
    /** Values of the message from which on the member listens, for servers that confirm a subscription. Default: the
     * member listens as soon as the connection is open and `send` is sent. */
    ready?: Only;
    /** Time limit until the member listens. */
    timeout?: Duration;
  }
}
