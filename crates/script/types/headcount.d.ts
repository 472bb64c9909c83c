/**
 * Types of headcount scenarios. Written by `headcount init`; do not edit.
 *
 * A scenario is an async function that runs once per iteration of a group of interacting users. Module state is shared
 * by all users of a worker thread, but not between workers: keep the state of a user inside the function.
 *
 * Uncaught errors and unhandled rejections fail the iteration. So do calls in flight when the iteration ends, except
 * `socket.close()`, calls of tickers and handlers, and calls that `Promise.race` or `Promise.any` left behind. There
 * are no timers, and no file or network access outside this API. `Math.random` is seeded. See also websocket.d.ts,
 * audience.d.ts, data.d.ts, env.d.ts, hash.d.ts.
 */
declare module "headcount" {
  /** "250us", "500ms", "2s", "1.5m", "1h". A number without a unit means milliseconds. */
  export type Duration = string | number;
  /** "64kB", "16MB", "1GB". A number without a unit means bytes. */
  export type Size = string | number;

  /** Options of a run. headcount checks all of them before it sends the first byte. */
  export interface Options {
    /** Base URL of the system under test, e.g. "http://127.0.0.1:5000" or "redis://127.0.0.1:6379". `--target`
     * overrides it. */
    target?: string;
    /** Size of a group: a number of users, or a number per role (`{ buyer: 1, sellers: 3 }`). Default 1. */
    group?: number | Record<string, number>;
    /** Number of groups, instead of `group`. The users of each level are divided evenly among them. */
    groups?: number;
    /** Amount of load, and its duration. */
    load: Load;
    /**
     * Scenarios by weight, instead of the default export: `{ register: 50, enumerate: 30 }` for two exported functions.
     * Each iteration runs the next scenario of the mix. The proportions are exact over the run.
     */
    mix?: Record<string, number>;
    /**
     * Thresholds, checked in every level: `{ "delivery(said)": ["p95 < 20ms", "lost == 0"] }`. `"… up to 200 users"`
     * applies to levels with up to 200 users. `"… or abort"` ends the run as soon as the threshold can no longer hold.
     */
    thresholds?: Record<string, string | string[]>;
    /** A delivery that takes longer than this is late. Default "5s". */
    deadline?: Duration;
    /**
     * Grace period for deliveries in flight and for iterations to end. It starts when the measured time is over and its
     * requests have ended or timed out (`timeouts`). Afterwards, missing deliveries are lost, and iterations that have
     * not ended are unfinished. Default "5s".
     */
    settle?: Duration;
    timeouts?: { // time limits by phase
      /** For opening a connection, including TLS. Default "5s". */
      connect?: Duration;
      /** From the request to the first byte of the response. Default: same as `total`. */
      firstByte?: Duration;
      /** From request to last byte of the response. Also for replies and WebSocket handshakes. Default "30s". */
      total?: Duration;
    };
    headers?: Record<string, string>; // sent with every request
    /** Accept any TLS certificate. Default false. */
    insecure?: boolean;
    /** PEM file, in the scenario's folder, with trusted certificates, of CAs or of servers themselves, in addition to
     * the machine's own. */
    ca?: string;
    /** PEM file, in the scenario's folder, with the certificate that all users present if the target asks for one. */
    cert?: string;
    /** PEM file, in the scenario's folder, with the private key of `cert`, not encrypted. */
    key?: string;
    /** Send requests and open event streams over HTTP/2, on one connection per user and origin: agreed on with `https:`
     * (ALPN), with prior knowledge otherwise. Without it, HTTP/1.1. Default false. */
    http2?: boolean;
    /**
     * Maximum number of redirects to follow. Default 10. A redirect to another origin drops the headers of the options,
     * the user and the request. The redirect fails if it would send the request body to that origin.
     */
    redirects?: number;
    /** Repeat an idempotent request once if a kept-alive connection closes without a response. Default true. */
    repeat?: boolean;
    /** Maximum size of a message or body. Default "16MB". */
    maxMessage?: Size;
    /** Queried before each level. If the number at the JSON pointer given in `at` is not zero, an earlier run left
     * state behind. */
    leftovers?: { url: string; at: string };
    /** Source of the target's CPU and memory figures. Default: the local process that listens on the target's port. */
    watch?: {
      /** Process ID. `--target-pid` overrides it. */
      pid?: number;
      /** Prometheus endpoint, read once a second: a URL, or a path on the target. `--watch-metrics` overrides it. */
      metrics?: string;
      /** Names of the endpoint's series to keep in the record: `["db_pool_busy", "queue_*"]`. */
      only?: string | string[];
    };
    /**
     * Local addresses or networks that users connect from, assigned in rotation. A user keeps one address for all
     * connections. With `"127.0.0.0/24"`, a limiter that counts by address sees 254 machines. `--source` overrides it.
     * Default: the system chooses.
     */
    source?: string | string[];
    /** Seed of all random choices. Default: a new one for each run, printed and recorded. */
    seed?: number;
    /** Limits of the script. */
    script?: {
      /** Memory per worker. Default "1GB". */
      memory?: Size;
      /** Maximum time that the script may run without a pause. A longer run counts as an endless loop. Default "1s". */
      time?: Duration;
    };
  }

  /** Number per second, minute or hour: "100/s", "30/m", "7200/h". */
  export type Rate = string;

  /**
   * Closed load (`users` or `groups`): a group starts its next iteration when the previous one has ended.
   * Open load (`rate`): iterations start when they are due, however long responses take. If all users are busy, the
   * iteration is dropped and counted. It is not started later.
   */
  export interface Load {
    /** Number of concurrent users. A list runs several levels, each measured separately. With `rate`, this is the
     * maximum number. The default is the number of groups needed for 10 s of arrivals, from 10 to 10,000. */
    users?: number | number[];
    /** Number of concurrent groups, instead of `users`. */
    groups?: number | number[];
    /** Open load: iterations started per second. A list runs several levels. A rate profile also sets the level's
     * duration: "0/s to 1000/s over 1m, 1000/s for 5m", "500/s for 10s, nothing for 50s, 5 times". */
    rate?: Rate | Rate[];
    /** Spacing of the arrivals: even, or a seeded Poisson process. Default "even". */
    arrivals?: "even" | "poisson";
    /** Measured time of each level. Default "10s". */
    duration?: Duration;
    /** Ramp-up time. Groups start, or the rate rises, evenly over this time. Not measured. Default "0s". */
    ramp?: Duration;
    /** Warm-up time at full load, or at the first rate, before the measurement. Not measured. Default "0s". */
    warmup?: Duration;
    /** Run one iteration per group, all started at the same time. The level ends with the last iteration. */
    once?: boolean;
    /** With `once`: time limit of a level. Default "60s". */
    limit?: Duration;
  }

  /** Waits until all members have called the barrier with the same name. A name can be reused. The call fails if a
   * member ends without calling the barrier, or if members wait at different names and nothing else is in progress. */
  export type Barrier = (name: string) => Promise<void>;

  /** A group of interacting users. Its functions can be destructured: `const { everyone } = group`. The group and its
   * users are unusable after the iteration: keep `user.name`, not `user`. */
  export interface Group<Setup = any> {
    /** Unique within the run, different in a run with another seed, and safe in URLs, e.g. "g12-kpxwab". */
    readonly id: string;
    /** 0, 1, 2, … within the level. */
    readonly number: number;
    /** Number of earlier iterations of this group in this level. */
    readonly iteration: number;
    /** The current level. */
    readonly level: { readonly index: number; readonly users: number; readonly groups: number };
    /** True until the measured time ends. Use it to end a loop: `while (group.active)`. */
    readonly active: boolean;
    /** All members. */
    readonly users: User[];
    /** A copy of the value that `setup` returned. */
    readonly setup: Setup;
    /** Runs `fn` for all members concurrently and waits for all of them. Then throws the first failure, if any. */
    everyone<T>(fn: (user: User, here: Barrier) => Promise<T> | T): Promise<T[]>;
    /** Like `everyone`, for some of the members and without a barrier. */
    together<T>(users: User[], fn: (user: User, index: number) => Promise<T> | T): Promise<T[]>;
    /** Polls `condition` (every 50 ms by default) until it is true, and measures the time. Fails after `within`. */
    eventually(
      name: string,
      within: Duration,
      condition: () => Promise<boolean> | boolean,
      options?: { every?: Duration },
    ): Promise<void>;
    /** Measures a part of the iteration: its time, and how many iterations reach, pass and fail it. The path of a
     * nested step is `buy > pay`. Members who act concurrently use `user.step`. */
    step<T>(name: string, fn: () => Promise<T> | T): Promise<T>;
    /** Counts whether `ok` is truthy. Never aborts. Returns `ok`. */
    check(name: string, ok: unknown): boolean;
    /** Defines a named kind of message. headcount tracks every delivery of its messages. */
    channel(name: string, options: { to: "others" | "everyone" | User[] | Audience; deadline?: Duration }): Channel;
    /** Pauses for `time`, or for a random time between `time` and `upTo`. */
    think(time: Duration, upTo?: Duration): Promise<void>;
    /** Seeded random number in [0, 1), whole number below `n`, or element of a list. */
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
    /** Appends a stamp of this user to `text`. The stamp counts as sent with the user's next message or request. */
    stamp(user: User, text?: string): string;
  }

  /** A simulated user. Its functions cannot be destructured: write `user.get(url)`, not `const { get } = user`. Its
   * properties are readable until the iteration ends. `JSON.stringify` writes `name`, `index`, `number` and `role`. */
  export interface User {
    /** Unique within the run, different in a run with another seed, and safe in URLs, e.g. "u34-kpxwab". */
    readonly name: string;
    /** 0, 1, 2, … within the group. */
    readonly index: number;
    /** 0, 1, 2, … within the level. */
    readonly number: number;
    /** The user's role, if the group has roles. */
    readonly role: string | undefined;
    /** The value that the callback of `pool` returned for this user in `setup`. */
    readonly data: any;

    get(url: string | URL, options?: Request): Promise<Response>;
    head(url: string | URL, options?: Request): Promise<Response>;
    post(url: string | URL, options?: Request): Promise<Response>;
    put(url: string | URL, options?: Request): Promise<Response>;
    patch(url: string | URL, options?: Request): Promise<Response>;
    delete(url: string | URL, options?: Request): Promise<Response>;
    request(method: string, url: string | URL, options?: Request): Promise<Response>;
    /** Opens a WebSocket. */
    websocket(url: string | URL, options?: SocketOptions): Promise<Socket>;
    /**
     * Follows the channel's stamps natively in the bodies of responses: long polling, or lists of messages. Returns a
     * function to stop. The user listens from this call on, also between two requests.
     * `in`: name of the requests, without tags: method and path, or their `name`.
     * `at`, `only`, `except`: as in `socket.receives`. A JSON pointer to a list covers all its elements.
     * `repeats`: each response repeats earlier messages, as an inbox does. They are not duplicates then.
     */
    receives(
      channel: Channel,
      options: { in: string; at?: string | number; only?: Only; except?: Only; repeats?: boolean },
    ): () => void;
    /** Sets a header for all later requests of this user; `undefined` removes it. */
    header(name: string, value: string | undefined): void;
    /** Sets a tag of all later requests of this user; `undefined` removes it. Tags of a request take precedence. */
    tag(key: string, value: string | number | boolean | undefined): void;
    /** The value of the user's cookie of that name for the target. */
    cookie(name: string): string | undefined;

    /**
     * Runs `fn` every `period` until the measured time ends, without waiting for the previous call. If `fn` sends a
     * message before its first `await`, the time counts from when the tick was due. After the first `await`, the time
     * counts from when `fn` sends the message.
     */
    every(period: Duration, fn: () => unknown, options?: { first?: Duration }): Ticker;
    /** Waits until the measured time is over and deliveries have settled. */
    stay(): Promise<void>;
    /**
     * Records a user state, such as the text of a document. At the end of the iteration, headcount compares the latest
     * states of all members. The group counts as converged (all states are equal), diverged (two states differ) or
     * unknown (a member has recorded no state). Thresholds on `"converged(name)"` use these counts.
     */
    state(name: string, text: string): void;
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
    form?: Record<string, string | number | boolean> | URLSearchParams;
    /** Sent as multipart/form-data. */
    multipart?: Record<
      string,
      string | { content: string | ArrayBuffer | Uint8Array; filename?: string; type?: string }
    >;
    /** Sent unchanged. */
    body?: string | ArrayBuffer | Uint8Array;
    /** Values for `:name` in the URL, escaped. The request is measured under the URL with `:name`. */
    params?: Record<string, string | number>;
    /** Appended to the URL after `?`, but not to the name under which the request is measured. */
    query?: Record<string, string | number | boolean> | URLSearchParams;
    headers?: Record<string, string>;
    /** Name under which the request is measured. Default: method and path. */
    name?: string;
    /** The request is measured under its name and its tags, e.g. `GET /items{region=eu}`. Use few different values. */
    tags?: Record<string, string | number | boolean | undefined>;
    /** Time limit of the whole request. */
    timeout?: Duration;
    /** Maximum number of redirects. 0 returns the redirect itself. */
    redirects?: number;
    /** Statuses of 400 or more that do not count as failures. */
    expect?: number | number[];
  }

  /** Thrown when a connection fails, a request times out, a barrier cannot open, and so on. */
  export interface Failure extends Error {
    readonly side: "target" | "generator" | "script";
    /** E.g. "refused", "reset", "timed_out", "tls", "closed", "denied", "barrier", "eventually". */
    readonly kind: string;
  }

  /** A status of 400 or more counts as failed but does not throw. A transport failure throws a `Failure`. */
  export interface Response {
    readonly status: number;
    /** True if the status is below 400. */
    readonly ok: boolean;
    /** URL of the response, after redirects. */
    readonly url: string;
    /** The body as JSON, parsed on access. */
    readonly json: any;
    /** The body as text. */
    readonly text: string;
    readonly body: ArrayBuffer;
    /** Header names are in lower case. Several values of one name are joined by ", ". */
    readonly headers: Record<string, string>;
    /** Response time in milliseconds. */
    readonly time: number;
    /** Counts the request as failed because of its content: `if (response.json.error) response.fail("sold out")`. Does
     * not throw. Has no effect on a request that already counts as failed, or after the iteration. */
    fail(reason: string): void;
  }

  /** The argument of `setup`. A run cannot pass if a request or check in `setup` failed. An error ends the run. */
  export interface Setup {
    /** Creates users before the levels start, by default 32 at a time. User n of a level takes over the headers,
     * cookies, tags and `data` (the result of `fn`) of pool user n. The pool must not be smaller than the largest
     * level. */
    pool<T>(count: number, fn: (user: User, index: number) => Promise<T> | T, options?: { atOnce?: number }): Promise<T[]>;
    /** A user for single requests. */
    readonly user: User;
    check(name: string, ok: unknown): boolean;
  }

  /** The argument of `teardown`. Failures count as in `setup`. */
  export interface Teardown<S = any> {
    readonly user: User;
    readonly setup: S;
    check(name: string, ok: unknown): boolean;
  }

  /** A metric that adds up its values. */
  export class Counter {
    constructor(name: string);
    add(value?: number): void;
  }
  /** A metric that rises and falls. */
  export class Gauge {
    constructor(name: string);
    set(value: number): void;
  }
  /** A metric with a distribution, e.g. of times in milliseconds. */
  export class Trend {
    constructor(name: string);
    add(value: number): void;
  }
}
