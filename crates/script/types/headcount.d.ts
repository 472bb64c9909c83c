/**
 * Types of headcount scenarios. Written by `headcount init`; do not edit.
 *
 * An error that nobody catches fails the iteration, and so does a rejected promise that nobody awaits. An iteration that
 * ends while calls are in flight fails too; only `socket.close()`, the calls of tickers and handlers, and what
 * `Promise.race` and `Promise.any` leave behind need no `await`.
 * There are no timers, no files and no network but through this API. `Math.random` is seeded too.
 *
 * A scenario is an async function of one group of interacting users. Module state is shared by all
 * users of a worker thread and by nobody else: keep what belongs to a user in the scenario function.
 */
declare module "headcount" {
  /** "250us", "500ms", "2s", "1.5m", "1h"; a number is milliseconds. */
  export type Duration = string | number;
  /** "64kB", "16MB", "1GB"; a number is bytes. */
  export type Size = string | number;

  /** What a run does. Everything is checked before the first byte is sent. */
  export interface Options {
    /** Base URL of the system under test, e.g. "http://127.0.0.1:5000". `--target` overrides it. */
    target?: string;
    /** Members of a group: a number, or roles with their numbers (`{ buyer: 1, sellers: 3 }`). Default 1. */
    group?: number | Record<string, number>;
    /** Instead of `group`: exactly so many groups; each level's users are shared out evenly among them. */
    groups?: number;
    /** How much load, and for how long. */
    load: Load;
    /**
     * Scenarios by weight, instead of the default export: `{ register: 50, enumerate: 30 }` for two exported functions.
     * Each start takes the next of the mix, exactly in proportion over the run.
     */
    mix?: Record<string, number>;
    /**
     * Promises that every level must keep: `{ "delivery(said)": ["p95 < 20ms", "lost == 0"] }`. `"… up to 200 users"`
     * promises it for levels of at most so much load, `"… or abort"` ends the run once it cannot be kept any more.
     */
    thresholds?: Record<string, string | string[]>;
    /** A delivery seen after this is late. Default "5s". */
    deadline?: Duration;
    /**
     * Grace period for deliveries and for iterations to end. It begins when the hold is over and no request of it is in
     * flight; requests have time limits of their own (`timeouts`). Then what was not delivered is lost, and an iteration
     * that has not ended is unfinished. Default "5s".
     */
    settle?: Duration;
    /** Time limits by phase. */
    timeouts?: {
      /** Until the connection is open, TLS included. Default "5s". */
      connect?: Duration;
      /** From the request to the first byte of the answer. Default: as `total`. */
      firstByte?: Duration;
      /** From the request to the last byte; replies and WebSocket handshakes too. Default "30s". */
      total?: Duration;
    };
    /** Headers that every request carries. */
    headers?: Record<string, string>;
    /** Accept any TLS certificate. Default false. */
    insecure?: boolean;
    /** PEM file with certificates to trust beside the machine's own. */
    ca?: string;
    /**
     * Redirects that are followed. Default 10. A redirect to another origin is followed without the headers of the options,
     * the user and the request; one that would send the request's body there fails.
     */
    redirects?: number;
    /** Send an idempotent request once more when a kept-alive connection closes before any response. Counted. Default true. */
    repeat?: boolean;
    /** The largest message or body accepted. Default "16MB". */
    maxMessage?: Size;
    /** Asked before every level: the number at JSON pointer `at` should be 0, or something is left over. */
    leftovers?: { url: string; at: string };
    /** Where the target's own CPU, memory and so on come from. Default: the process that listens on its port, if it is here. */
    watch?: {
      /** Its process. `--target-pid` overrides it. */
      pid?: number;
      /** Its Prometheus endpoint, asked once a second: a whole URL, or a path below the target. `--watch-metrics` overrides it. */
      metrics?: string;
      /** Names of that endpoint's series that are kept in the record: `["db_pool_busy", "queue_*"]`. */
      only?: string | string[];
    };
    /**
     * Local addresses or networks that users come from, in turn: `"127.0.0.0/24"` is 254 machines to a limiter by
     * address. Each user keeps one for all connections. `--source` overrides it. Default: the system chooses.
     */
    source?: string | string[];
    /** Seed of all random choices. Default: a new one each run, printed and recorded. */
    seed?: number;
    /** Limits of the script itself. */
    script?: {
      /** Memory per worker. Default "1GB". */
      memory?: Size;
      /** Longest time without a pause before a loop counts as endless. Default "1s". */
      time?: Duration;
    };
  }

  /** "100/s", "30/m", "7200/h". */
  export type Rate = string;

  /**
   * Closed load (`users` or `groups`): a new iteration of a group starts when its last one has ended. Open load
   * (`rate`): iterations start when they are due, whatever the answers do; one that finds no user free is dropped and
   * counted, and none is made up for later.
   */
  export interface Load {
    /**
     * Users at the same time: one level, or a ladder of levels, each measured apart. Beside `rate`: the most at the
     * same time, default enough for 10 s of arrivals.
     */
    users?: number | number[];
    /** The same in groups. */
    groups?: number | number[];
    /**
     * Open load: iterations started per second; a list is a ladder of levels. Or a course over time, which says how long
     * the level is: "0/s to 1000/s over 1m, 1000/s for 5m", "500/s for 10s, nothing for 50s, 5 times".
     */
    rate?: Rate | Rate[];
    /** Evenly spaced, or at random as people come (seeded). Default "even". */
    arrivals?: "even" | "poisson";
    /** How long each level is measured. Default "10s". */
    hold?: Duration;
    /** Over which time a level's groups start, or the rate rises, evenly. Not measured. Default: all at once. */
    ramp?: Duration;
    /** Time with all groups at work, or at the first rate, before measuring. Not measured. Default "0s". */
    warmup?: Duration;
    /** Each group runs one iteration, all starting at the same time; the level ends when all have ended. */
    once?: boolean;
    /** With `once`: the longest time a level may take. Default "60s". */
    limit?: Duration;
  }

  /**
   * Opens when all members have called it with the same name; fails when one of them ended without, and when nothing
   * goes on any more because they wait at different names. Can be used again.
   */
  export type Barrier = (name: string) => Promise<void>;

  /**
   * One group of interacting users. Its functions may be taken out of it: `const { everyone } = group`. Neither it nor
   * its users can be asked for anything once the iteration has ended: keep `user.name`, not `user`.
   */
  export interface Group<Setup = any> {
    /** Unique within the run and safe in URLs, e.g. "g12". */
    readonly id: string;
    /** 0, 1, 2, … within the level. */
    readonly number: number;
    /** How many iterations this group has run before in this level. */
    readonly iteration: number;
    /** The level that is run. */
    readonly level: { readonly index: number; readonly users: number; readonly groups: number };
    /** Whether the load goes on: false once the hold is over, so that a loop can end its story in order. */
    readonly active: boolean;
    /** All members. */
    readonly users: User[];
    /** A copy of what `setup` returned. */
    readonly setup: Setup;
    /** Runs `fn` for every member at the same time; fails with the first failure, after all have ended. */
    everyone<T>(fn: (user: User, here: Barrier) => Promise<T> | T): Promise<T[]>;
    /** The same for some of them. */
    together<T>(users: User[], fn: (user: User, index: number) => Promise<T> | T): Promise<T[]>;
    /** Asks until the condition comes true, every 50 ms; how long that took is measured. Fails after `within`. */
    eventually(
      name: string,
      within: Duration,
      condition: () => Promise<boolean> | boolean,
      options?: { every?: Duration },
    ): Promise<void>;
    /**
     * Measures a part of the story under a name, and how many iterations reach it, pass it and fail in it. A step begun
     * within another has its path, `buy > pay`. Members who act at the same time take `user.step`.
     */
    step<T>(name: string, fn: () => Promise<T> | T): Promise<T>;
    /** Counts whether something is as it should be. Never aborts. Returns `ok`. */
    check(name: string, ok: unknown): boolean;
    /** A named kind of message whose every delivery is followed. */
    channel(name: string, options: { to: "others" | "everyone" | User[]; deadline?: Duration }): Channel;
    /** Pauses: a time, or a random time between two. */
    think(time: Duration, upTo?: Duration): Promise<void>;
    /** Seeded random number: in [0, 1), below `n`, or one of a list. */
    random(): number;
    random(n: number): number;
    random<T>(list: readonly T[]): T;
  }

  /** A group with roles: `Roles<{ buyer: 1, sellers: 3 }>` has `buyer: User` and `sellers: User[]`. */
  export type Roles<R extends Record<string, number>, Setup = any> = Group<Setup> & {
    readonly [K in keyof R]: R[K] extends 1 ? User : User[];
  };

  /** A named kind of message with an audience. */
  export interface Channel {
    readonly name: string;
    /** `text` with a stamp of this user behind it. Counts as sent with the user's next send or request. */
    stamp(user: User, text?: string): string;
  }

  /**
   * One simulated person. Its functions stay with it: `user.get(url)`, not `const { get } = user`. Its facts can be read
   * as long as the iteration runs; `JSON.stringify` writes `name`, `index`, `number` and `role`.
   */
  export interface User {
    /** Unique within the run, e.g. "u34". */
    readonly name: string;
    /** 0, 1, 2, … within the group. */
    readonly index: number;
    /** 0, 1, 2, … within the level. */
    readonly number: number;
    /** The role, if the group has roles. */
    readonly role: string | undefined;
    /** What the set-up pool made for this user. */
    readonly data: any;

    get(url: string, options?: Request): Promise<Response>;
    head(url: string, options?: Request): Promise<Response>;
    post(url: string, options?: Request): Promise<Response>;
    put(url: string, options?: Request): Promise<Response>;
    patch(url: string, options?: Request): Promise<Response>;
    delete(url: string, options?: Request): Promise<Response>;
    request(method: string, url: string, options?: Request): Promise<Response>;
    /** Opens a WebSocket. */
    websocket(url: string, options?: SocketOptions): Promise<Socket>;
    /** Sets a header that all later requests of this user carry; `undefined` takes it away. */
    header(name: string, value: string | undefined): void;
    /** The user's cookie of that name for the target. */
    cookie(name: string): string | undefined;

    /**
     * Runs `fn` every `period` until the hold ends: an open clock, which does not wait for `fn`. What `fn` sends before
     * it first waits for an answer, a message or time counts from when the tick was due; the rest from when it is sent.
     */
    every(period: Duration, fn: () => unknown, options?: { first?: Duration }): Ticker;
    /** Until the hold has ended and deliveries have settled. */
    stay(): Promise<void>;
    /**
     * What this user holds under a name. At the end of the iteration all members of the group must hold the same:
     * counted as converged, diverged or unknown (a member said nothing), for thresholds on `"converged(name)"`.
     */
    holds(name: string, text: string): void;
    think(time: Duration, upTo?: Duration): Promise<void>;
    step<T>(name: string, fn: () => Promise<T> | T): Promise<T>;
    check(name: string, ok: unknown): boolean;
    random(): number;
    random(n: number): number;
    random<T>(list: readonly T[]): T;
    /** This user's row of a table. */
    row<T extends object = Record<string, string>>(table: Table<T>): T;
  }

  export interface Ticker {
    stop(): void;
  }

  export interface Request {
    /** Sent as JSON. */
    json?: unknown;
    /** Sent as a form. */
    form?: Record<string, string | number | boolean>;
    /** Sent as multipart/form-data. */
    multipart?: Record<
      string,
      string | { content: string | ArrayBuffer | Uint8Array; filename?: string; type?: string }
    >;
    /** Sent as it is. */
    body?: string | ArrayBuffer | Uint8Array;
    /** Fills `:name` in the URL, escaped; the measured name keeps `:name`. */
    params?: Record<string, string | number>;
    /** Added to the URL behind `?`, not to the measured name. */
    query?: Record<string, string | number | boolean>;
    headers?: Record<string, string>;
    /** Measured under this name instead of method and path. */
    name?: string;
    /** Whole time allowed. */
    timeout?: Duration;
    /** Redirects followed; 0: none. */
    redirects?: number;
    /** Statuses of 400 and more that are no failure. */
    expect?: number | number[];
  }

  /** What a failed connection, a timeout, a closed barrier and the like throw. */
  export interface Failure extends Error {
    readonly side: "target" | "generator" | "script";
    /** E.g. "refused", "reset", "timed_out", "tls", "closed", "denied", "barrier", "eventually". */
    readonly kind: string;
  }

  /** An answer. A status of 400 or more counts as failed but does not throw; a failed transport throws a `Failure`. */
  export interface Response {
    readonly status: number;
    /** Status below 400. */
    readonly ok: boolean;
    /** The URL that answered. */
    readonly url: string;
    /** The body as JSON, parsed when looked at. */
    readonly json: any;
    /** The body as text. */
    readonly text: string;
    readonly body: ArrayBuffer;
    /** Names in lower case; several of one name joined by ", ". */
    readonly headers: Record<string, string>;
    /** Response time in milliseconds. */
    readonly time: number;
  }

  export interface SocketOptions {
    headers?: Record<string, string>;
    subprotocols?: string[];
    /** How messages hold JSON documents, each of which counts as a message. "auto": one, or several with newlines or 0x1e between
     * them, or a SockJS frame. "array": a top-level array's elements. "newline", "0x1e": each ends so, maybe in the next message. */
    documents?: "auto" | "whole" | "array" | "newline" | "0x1e";
    query?: Record<string, string | number | boolean>;
    params?: Record<string, string | number>;
    /** Measured under this name instead of the path. */
    name?: string;
    timeout?: Duration;
  }

  /** Values that must stand at JSON pointers: `{ "/type": "said" }`. */
  export type Only = Record<string, string | number | boolean | null>;

  export type Message = string | ArrayBuffer;

  /** An open WebSocket. Objects are sent as JSON. */
  export interface Socket {
    /** The subprotocol agreed on. */
    readonly subprotocol: string | undefined;
    readonly open: boolean;
    send(message: string | ArrayBuffer | Uint8Array | object): void;
    /** Sends a message and awaits its reply: with the same value at pointer `by`, or the next that fits `only`, followed by a
     * channel or not; else the next that none follows or that brings the sent stamp back. Parsed if an object was sent. */
    request(
      message: string | ArrayBuffer | Uint8Array | object,
      options?: { name?: string; by?: string; only?: Only; timeout?: Duration },
    ): Promise<any>;
    /**
     * Follows the channel's stamps in what arrives here, natively: no script runs per message. `at`: where they stand, a
     * JSON pointer or the number of the byte at which the stamp begins (counted from 0); without it, anywhere. `except`:
     * where these values stand a message says again what was said, as with a whole document, and is no delivery. `keep`:
     * what stands there is kept for `last`, said again or not. The function that comes back ends it.
     */
    receives(channel: Channel, options?: { at?: string | number; only?: Only; except?: Only; keep?: boolean }): () => void;
    /** What stood last where `receives` looks for the channel, stamped or not, where it keeps that: a string, else JSON text. */
    last(channel: Channel): string | undefined;
    /** The next message that fits `only`, even one that a channel follows; without `only`, the next that none follows. JSON
     * text comes parsed with `json: true`. Followed messages are not kept for later calls. */
    next(options?: { only?: Only; timeout?: Duration; json?: boolean }): Promise<any>;
    /** Runs `fn` for each message (that costs script time) or when the socket is gone. What it throws fails the iteration. */
    on(event: "message", fn: (message: Message) => void): void;
    on(event: "close", fn: (code: number | undefined, reason: string) => void): void;
    /** Round trip of a ping in milliseconds. */
    ping(): Promise<number>;
    close(code?: number, reason?: string): Promise<void>;
  }

  /** What `setup` gets. A run in which a request or a check of `setup` failed has not passed; an error ends it. */
  export interface Setup {
    /** Makes users before the clock starts, 32 at a time; what `fn` returns is their `data`. The groups' users take their places in turn. */
    pool<T>(count: number, fn: (user: User, index: number) => Promise<T> | T, options?: { atOnce?: number }): Promise<T[]>;
    /** One user for single calls. */
    readonly user: User;
    check(name: string, ok: unknown): boolean;
  }

  /** What `teardown` gets. What fails in it counts as in `setup`. */
  export interface Teardown<S = any> {
    readonly user: User;
    readonly setup: S;
    check(name: string, ok: unknown): boolean;
  }

  /** Rows of a file, in memory once for all workers. */
  export interface Table<T extends object = Record<string, string>> {
    readonly length: number;
    at(index: number): T;
  }
  /** "unique": each user number has its own row, too few rows is an error; "cycle" (default): begin again; "random". */
  export type Take = "unique" | "cycle" | "random";
  /** Reads a CSV file (.csv, .tsv, .txt) with a header line, from the scenario's folder. Only while the module loads. */
  export function csv<T extends object = Record<string, string>>(path: string, options?: { take?: Take; separator?: string }): Table<T>;
  /** Reads a JSON file that holds an array. Only while the module loads. */
  export function json<T extends object = any>(path: string, options?: { take?: Take }): Table<T>;

  /** A sum. */
  export class Counter {
    constructor(name: string);
    add(value?: number): void;
  }
  /** A value that goes up and down. */
  export class Gauge {
    constructor(name: string);
    set(value: number): void;
  }
  /** A distribution, e.g. of milliseconds. */
  export class Trend {
    constructor(name: string);
    add(value: number): void;
  }
}
