/**
 * Types of headcount scenarios. Written by `headcount init`; do not edit.
 *
 * A scenario is an async function that runs once per iteration of a group of interacting users. Module state is shared
 * by all users of a worker thread, but not between workers: keep the state of a user inside the function.
 *
 * Uncaught errors and unhandled rejections fail the iteration. Calls that are still in flight when the iteration ends
 * also fail it, except `socket.close()`, calls of tickers and handlers, and calls that `Promise.race` or `Promise.any`
 * did not wait for. There are no timers, and there is no file or network access outside this API. `Math.random` is
 * seeded. The other files in this folder describe the other protocols, audiences, streams of audio, test data,
 * variables, hashes and globals.
 */
declare module "headcount" {
  /** "250us", "500ms", "2s", "1.5m", "1h". A number without a unit means milliseconds. */
  export type Duration = string | number;
  /** "64kB", "16MB", "1GB". A number without a unit means bytes. */
  export type Size = string | number;

  /** Options of a run. headcount checks all of them before it sends anything. */
  export interface Options {
    /** Base URL of the system under test, e.g. "http://127.0.0.1:5000" or "redis://127.0.0.1:6379". `--target`
     * overrides it. */
    target?: string;
    /** Size of a group: a number of users, or a number of users per role (`{ buyer: 1, sellers: 3 }`). Default 1. */
    group?: number | Record<string, number>;
    /** Number of groups, instead of `group`. The users of each level are divided evenly among them. */
    groups?: number;
    /** How much load the run generates, and for how long. */
    load: Load;
    /**
     * Exported functions to run instead of the default export, with their weights: `{ register: 50, enumerate: 30 }`.
     * Each iteration runs the next function of the mix. The proportions are exact over the run: of all arrivals, or
     * without `rate` of each group's iterations. They are the same for any number of workers.
     */
    mix?: Record<string, number>;
    /**
     * Limits for measured figures, checked in every level: `{ "delivery(said)": ["p95 < 20ms", "lost == 0"] }`.
     * `"… up to 200 users"` limits a threshold to levels with up to 200 users. `"… or abort"` ends the run as soon as
     * the threshold can no longer hold.
     */
    thresholds?: Record<string, string | string[]>;
    /** A delivery that takes longer than this is late. Default "5s". */
    deadline?: Duration;
    /**
     * Grace period at the end of a level, for deliveries in flight and for iterations. It starts when all requests of
     * the measured time have ended or timed out (`timeouts`). When it is over, missing deliveries count as lost, and
     * running iterations count as unfinished. Default "5s".
     */
    settle?: Duration;
    timeouts?: { // time limits of an operation
      /** For opening a connection, including TLS. Default "5s". */
      connect?: Duration;
      /** From the request to the first byte of the response. Default: same as `total`. */
      firstByte?: Duration;
      /** From the request to the last byte of the response. Also limits replies and WebSocket handshakes.
       * Default "30s". */
      total?: Duration;
    };
    headers?: Record<string, string>; // sent with every request
    /** Accept any TLS certificate. Default false. */
    insecure?: boolean;
    /** PEM file with certificates to trust, in addition to those of the machine. They can be certificates of CAs or of
     * servers. The file must be in the scenario's folder. */
    ca?: string;
    /** PEM file in the scenario's folder. It contains the certificate that all users present if the target asks for
     * one. */
    cert?: string;
    /** PEM file in the scenario's folder. It contains the private key of `cert`, unencrypted. */
    key?: string;
    /** Use HTTP/2 instead of HTTP/1.1 for requests and event streams, on one connection per user and origin. With
     * `https:`, it is negotiated (ALPN). With `http:`, the target must support it (prior knowledge). Default false. */
    http2?: boolean;
    /**
     * Maximum number of redirects to follow. Default 10. When a redirect leads to another origin, headcount drops the
     * headers that the options, the user and the request have set. It does not send a request body to another origin:
     * the redirect fails.
     */
    redirects?: number;
    /** Repeat an idempotent request once if a kept-alive connection closes without a response. Default true. */
    repeat?: boolean;
    /** Maximum size of a message or body. Default "16MB". */
    maxMessage?: Size;
    /** URL that headcount queries before each level. If the number at the JSON pointer `at` is not zero, an earlier run
     * left state behind. */
    leftovers?: { url: string; at: string };
    /** Source of the target's CPU and memory figures. Default: the local process that listens on the target's port. */
    watch?: {
      /** Process ID. `--target-pid` overrides it. */
      pid?: number;
      /** Prometheus endpoint, read once a second: a URL, or a path on the target. `--watch-metrics` overrides it. */
      metrics?: string;
      /** Names of the endpoint's series to store in the record: `["db_pool_busy", "queue_*"]`. */
      only?: string | string[];
    };
    /**
     * Local addresses or networks that users connect from, assigned in rotation. A user has the same address for all
     * connections. With `"127.0.0.0/24"`, a rate limiter that counts by address sees 254 clients. `--source` overrides
     * it. Default: the operating system chooses.
     */
    source?: string | string[];
    /** Seed of all random choices. Default: a new one for each run, printed and recorded. */
    seed?: number;
    /** Limits of the script. */
    script?: {
      /** Memory per worker. Default "1GB". */
      memory?: Size;
      /** Maximum time that the script may run without a pause. After that, headcount stops it as an endless loop.
       * Default "1s". */
      time?: Duration;
    };
  }

  /** Number per second, minute or hour: "100/s", "30/m", "7200/h". */
  export type Rate = string;

  /**
   * Closed load (`users` or `groups`): a group starts its next iteration when the previous one has ended.
   * Open load (`rate`): iterations start when they are due, however long responses take. If all users are busy, the
   * iteration is dropped: it is counted, and does not start later.
   */
  export interface Load {
    /** Number of concurrent users. A list runs several levels, which are measured separately. With `rate`, the maximum
     * number of users. The default is then the number of groups that arrive in 10 s, from 10 to 10,000. */
    users?: number | number[];
    /** Number of concurrent groups, instead of `users`. A list runs several levels. */
    groups?: number | number[];
    /** Open load: iterations started per second. A list runs several levels. A rate profile also sets the level's
     * duration: "0/s to 1000/s over 1m, 1000/s for 5m", "500/s for 10s, nothing for 50s, 5 times". */
    rate?: Rate | Rate[];
    /** Spacing of the planned starts: even, or random (a Poisson process). Default "even". */
    arrivals?: "even" | "poisson";
    /** Measured time of each level. Default "10s". */
    duration?: Duration;
    /** Ramp-up time, over which the groups start, or the rate rises, evenly. Not measured. Default "0s". */
    ramp?: Duration;
    /** Warm-up time at full load, or at the first rate, before the measurement. Not measured. Default "0s". */
    warmup?: Duration;
    /** Run one iteration per group, and start all of them at the same time. The level ends when the last one ends. */
    once?: boolean;
    /** With `once`: time limit of a level. Default "60s". */
    limit?: Duration;
  }

  /** Waits until all members have called the barrier with this name. A name can be used again. The call fails if a
   * member ends without calling the barrier. It also fails if members wait with different names and nothing else is in
   * progress. */
  export type Barrier = (name: string) => Promise<void>;

  /** A group of interacting users. Its functions can be destructured: `const { everyone } = group`. The group and its
   * users are unusable after the iteration: keep `user.name`, not `user`. */
  export interface Group<Setup = any> {
    /** Name of the group, such as "g12-kpxwab". Unique within the run, and different in a run with another seed. Safe
     * in URLs. */
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
    /** Runs `fn` for all members concurrently and waits until all have ended. Then throws the first failure, if any. */
    everyone<T>(fn: (user: User, here: Barrier) => Promise<T> | T): Promise<T[]>;
    /** Like `everyone`, for some of the members and without a barrier. */
    together<T>(users: User[], fn: (user: User, index: number) => Promise<T> | T): Promise<T[]>;
    /** Polls `condition` until it is true, and measures the time that this takes. Throws if the condition is still
     * false after `within`. `every`: polling interval, 50 ms by default. */
    eventually(
      name: string,
      within: Duration,
      condition: () => Promise<boolean> | boolean,
      options?: { every?: Duration },
    ): Promise<void>;
    /** Measures a part of the iteration: its time, and how many iterations start it, pass it and fail in it. Steps can
     * be nested: the report shows `buy > pay`. If members act concurrently, use `user.step`. */
    step<T>(name: string, fn: () => Promise<T> | T): Promise<T>;
    /** Counts whether `ok` is truthy. Returns whether it is. A failed check does not end the iteration. */
    check(name: string, ok: unknown): boolean;
    /**
     * Defines a named kind of message, and who must receive it. headcount tracks every delivery of its messages.
     * `to`: the audience: all members except the sender, all members, a list of users, or a passive audience.
     * `deadline`: time limit of a delivery. Default: `options.deadline`. For a passive audience, set it in `receives`.
     */
    channel(name: string, options: { to: "others" | "everyone" | User[] | Audience; deadline?: Duration }): Channel;
    /** Pauses for `time`, or for a random time between `time` and `upTo`. */
    think(time: Duration, upTo?: Duration): Promise<void>;
    /** Seeded random value: a number in [0, 1), a whole number from 0 to `n` - 1, or an element of a list. */
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
    /** Returns `text` with a stamp appended: 40 characters that identify the message and its sender. The stamp counts
     * as sent with the user's next message or request. */
    stamp(user: User, text?: string): string;
  }

  /** A simulated user. Its functions cannot be destructured: write `user.get(url)`, not `const { get } = user`. Its
   * properties are readable until the iteration ends. `JSON.stringify` writes `name`, `index`, `number` and `role`. */
  export interface User {
    /** Name of the user, such as "u34-kpxwab". Unique within the run, and different in a run with another seed. Safe in
     * URLs. */
    readonly name: string;
    /** 0, 1, 2, … within the group. */
    readonly index: number;
    /** 0, 1, 2, … within the level. */
    readonly number: number;
    /** The user's role, if the group has roles. */
    readonly role: string | undefined;
    /** The value that the function passed to `pool` returned for this user. */
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
     * Tracks the channel's stamps in the bodies of responses, for long polling or lists of messages. No script runs for
     * this. Returns a function that stops tracking. The user listens from this call on, even between two requests.
     * `in`: name of the requests, without tags: method and path, or their `name`.
     * `at`, `only`, `except`: as in `socket.receives`. A JSON pointer to a list covers all its elements.
     * `repeats`: set it if each response repeats earlier messages, as an inbox does. Repeated messages then do not
     * count as duplicates.
     */
    receives(
      channel: Channel,
      options: { in: string; at?: string | number; only?: Only; except?: Only; repeats?: boolean },
    ): () => void;
    /** Sets a header for all later requests of this user. `undefined` removes it. */
    header(name: string, value: string | undefined): void;
    /** Sets a tag for all later requests of this user. `undefined` removes it. Tags of a request take precedence. */
    tag(key: string, value: string | number | boolean | undefined): void;
    /** Returns the value of the user's cookie `name` for the target. */
    cookie(name: string): string | undefined;

    /**
     * Calls `fn` every `period` until the measured time ends, without waiting for the previous call. For a message that
     * `fn` sends before its first `await`, the latency starts when the call was due. After the first `await`, it
     * starts when `fn` sends the message.
     * `first`: time until the first call. Default: a random part of the period.
     */
    every(period: Duration, fn: () => unknown, options?: { first?: Duration }): Ticker;
    /** Waits until the measured time is over, and all deliveries have arrived or the time `settle` is over. */
    stay(): Promise<void>;
    /**
     * Records the user's state, such as the text of a document, under a name. At the end of the iteration, headcount
     * compares the last states of all members. The group is converged (all states are equal), diverged (two states
     * differ) or unknown (a member has recorded no state). Thresholds use `"converged(name)"`.
     */
    state(name: string, text: string): void;
    think(time: Duration, upTo?: Duration): Promise<void>;
    step<T>(name: string, fn: () => Promise<T> | T): Promise<T>;
    check(name: string, ok: unknown): boolean;
    random(): number;
    random(n: number): number;
    random<T>(list: readonly T[]): T;
    /** Returns this user's row of a table. `take` of the table selects the row. */
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
    /** Values for `:name` in the URL. They are escaped. The request is measured under the URL with `:name`. */
    params?: Record<string, string | number>;
    /** Appended to the URL after `?`, but not to the name under which the request is measured. */
    query?: Record<string, string | number | boolean> | URLSearchParams;
    headers?: Record<string, string>;
    /** Name under which the request is measured. Default: method and path. */
    name?: string;
    /** Tags of the request. It is measured under its name with its tags, e.g. `GET /items{region=eu}`. Use tags with
     * few different values. */
    tags?: Record<string, string | number | boolean | undefined>;
    /** Time limit of the whole request. */
    timeout?: Duration;
    /** Maximum number of redirects to follow. With 0, the redirect itself is the response. */
    redirects?: number;
    /** Statuses of 400 or more that do not count as failures. */
    expect?: number | number[];
  }

  /** Thrown when a connection fails, a request times out, a barrier cannot open, and so on. */
  export interface Failure extends Error {
    /** Where the cause is: in the target, in headcount (the generator), or in the script. */
    readonly side: "target" | "generator" | "script";
    /** Kind of failure, such as "refused", "reset", "timed_out", "tls", "closed", "denied", "barrier", "eventually". */
    readonly kind: string;
  }

  /** The response to a request. A status of 400 or more counts as a failed request, but does not throw. A failed
   * connection or a timeout throws a `Failure`. */
  export interface Response {
    readonly status: number;
    /** True if the status is below 400. */
    readonly ok: boolean;
    /** URL of the response: after redirects, the last one. */
    readonly url: string;
    /** The body as JSON, parsed on access. */
    readonly json: any;
    /** The body as text. */
    readonly text: string;
    /** The body as bytes. */
    readonly body: ArrayBuffer;
    /** The headers. Names are in lower case. Several values of one name are joined by ", ". */
    readonly headers: Record<string, string>;
    /** Response time in milliseconds, counted from the planned start. */
    readonly time: number;
    /** Counts the request as failed because of its content: `if (response.json.error) response.fail("sold out")`. Does
     * not throw. Has no effect if the request already counts as failed, or if its iteration is over. */
    fail(reason: string): void;
  }

  /** The argument of `setup`. An error that `setup` throws ends the run. A run cannot pass if a request or check in
   * `setup` failed. */
  export interface Setup {
    /** Creates users before the levels start. User n of a level takes over the headers, cookies and tags of pool user
     * n, and the result of `fn` as `data`. The pool must be at least as large as the largest level. `atOnce`: number of
     * users that are created at the same time, 32 by default. */
    pool<T>(count: number, fn: (user: User, index: number) => Promise<T> | T, options?: { atOnce?: number }): Promise<T[]>;
    /** A user for requests of `setup` itself. */
    readonly user: User;
    check(name: string, ok: unknown): boolean;
  }

  /** The argument of `teardown`. A run cannot pass if a request or check in `teardown` failed. */
  export interface Teardown<S = any> {
    readonly user: User;
    readonly setup: S;
    check(name: string, ok: unknown): boolean;
  }

  /** A metric that adds up its values. Create metrics at the top level of a module. */
  export class Counter {
    constructor(name: string);
    add(value?: number): void;
  }
  /** A metric whose value rises and falls, such as the length of a queue. */
  export class Gauge {
    constructor(name: string);
    set(value: number): void;
  }
  /** A metric with a distribution, such as times in milliseconds. The report shows percentiles. */
  export class Trend {
    constructor(name: string);
    add(value: number): void;
  }
}
