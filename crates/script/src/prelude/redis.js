// A user's connection to a Redis server, and its subscriptions.
import { closeSocket, isOpen, last, listen, natives, stopReceiving, utf8Decode, utf8Encode } from "headcount/native";
import { Failure, mustBeEvent, mustBeFunction, parseReceived, withoutStack } from "headcount/check";
import { Channel } from "headcount/socket";

const { nextRedisMessage, receivesRedisMessage, redisCall, redisPipeline, redisServer, redisSubscribe, redisUnsubscribe } = natives;

/** An error that the server sent in place of a reply. */
class RedisError extends Failure {
  constructor(side, kind, message, code) {
    super(side, kind, message);
    this.code = code;
  }
}
Object.defineProperty(RedisError.prototype, "name", { value: "RedisError" });

class RedisMessage {
  #payload;
  constructor(channel, pattern, payload) {
    this.channel = channel;
    if (pattern !== undefined) this.pattern = pattern;
    this.#payload = payload;
  }
  get text() { return typeof this.#payload === "string" ? this.#payload : utf8Decode(this.#payload, false); }
  get json() { return parseReceived(this.text); }
  get bytes() { return typeof this.#payload === "string" ? utf8Encode(this.#payload).buffer : this.#payload; }
}

class RedisSubscription {
  #key;
  constructor(key) { this.#key = key; }
  get open() { return isOpen(this.#key); }
  receives(channel, options) {
    const receiving = receivesRedisMessage(this.#key, Channel.id(channel), options);
    return () => stopReceiving(this.#key, receiving);
  }
  last(channel) { return last(this.#key, Channel.id(channel)); }
  next(options) { return nextRedisMessage(this.#key, options); }
  on(event, fn) {
    const call = "subscription.on(event, fn)";
    mustBeEvent(event, call, ["message", "close"]);
    mustBeFunction(fn, `${call}: \`fn\``);
    if (event === "message") listen(this.#key, "message", fn);
    else listen(this.#key, "close", (_, reason) => fn(reason));
  }
  unsubscribe() { return redisUnsubscribe(this.#key); }
}

class Redis {
  #key;
  constructor(key) { this.#key = key; }
  get open() { return isOpen(this.#key); }
  get server() { return redisServer(this.#key); }
  call(command, ...args) { return redisCall(this.#key, command, args); }
  pipeline(commands, options) { return redisPipeline(this.#key, commands, options); }
  subscribe(channels, options) { return redisSubscribe(this.#key, channels, options); }
  on(event, fn) {
    const call = "redis.on(event, fn)";
    mustBeEvent(event, call, ["close"]);
    mustBeFunction(fn, `${call}: \`fn\``);
    listen(this.#key, "close", (_, reason) => fn(reason));
  }
  close() { return closeSocket(this.#key, undefined, undefined); }
}

export const makeRedis = (key) => new Redis(key);
export const makeRedisSubscription = (key) => new RedisSubscription(key);
export const makeRedisMessage = (channel, pattern, payload) => new RedisMessage(channel, pattern, payload);
export const makeRedisError = (side, kind, message, code) => withoutStack(() => new RedisError(side, kind, message, code));

/** Creates a value of a reply that native code cannot create: a bigint of digits, a set of a list, a map of keys and values in turn. */
export function makeRedisValue(kind, of) {
  if (kind === "bigint") return BigInt(of);
  if (kind === "set") return new Set(of);
  const map = new Map();
  for (let at = 0; at < of.length; at += 2) map.set(of[at], of[at + 1]);
  return map;
}
