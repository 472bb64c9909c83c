// A user's connection to a NATS server.
import { closeSocket, isOpen, last, listen, natives, stopReceiving } from "headcount/native";
import { mustBeEvent, mustBeFunction, mustBeName, mustKnow } from "headcount/check";
import { Channel } from "headcount/socket";

const { natsConsume, natsFetch, natsFlush, natsNext, natsPublish, natsReceives, natsRequest, natsServer, natsSubscribe } = natives;

class Subscription {
  #key;
  constructor(key, subject) {
    this.#key = key;
    this.subject = subject;
  }
  get open() { return isOpen(this.#key); }
  receives(channel, options) {
    const receiving = natsReceives(this.#key, Channel.id(channel), options);
    return () => stopReceiving(this.#key, receiving);
  }
  last(channel) { return last(this.#key, Channel.id(channel)); }
  next(options) { return natsNext(this.#key, options); }
  on(event, fn) {
    mustBeEvent(event, "subscription.on(event, fn)", ["message", "close"]);
    mustBeFunction(fn, "subscription.on(event, fn): `fn`");
    if (event === "message") listen(this.#key, "message", fn);
    else listen(this.#key, "close", (_, reason) => fn(reason));
  }
  unsubscribe() { return closeSocket(this.#key, undefined, undefined); }

  /** Requests messages from the consumer of a subscription; not for scenarios. */
  static fetch(subscription, count, options) { return natsFetch(subscription.#key, count, options); }
}

/** A consumer of JetStream. Its fetches run one after the other, because their messages arrive on one subscription. */
class Consumer {
  #key;
  #names;
  #inbox;
  #last = Promise.resolve();
  constructor(key, names) {
    this.#key = key;
    this.#names = names;
  }
  /** The server ignores requests to a consumer that does not exist. */
  #exists() { return new JetStream(this.#key).api(`CONSUMER.INFO.${this.#names.join(".")}`); }
  async subscribe(options) {
    await this.#exists();
    return natsConsume(this.#key, ...this.#names, options, true);
  }
  fetch(count, options) {
    const fetched = this.#last.then(() => this.#fetch(count, options));
    this.#last = fetched.then(() => undefined, () => undefined);
    return fetched;
  }
  async #fetch(count, options) {
    if (this.#inbox === undefined) {
      await this.#exists();
      this.#inbox = await natsConsume(this.#key, ...this.#names, undefined, false);
    }
    return Subscription.fetch(this.#inbox, count, options);
  }
}

class JetStream {
  #key;
  constructor(key) { this.#key = key; }
  async publish(subject, payload, options) {
    const call = "jetstream.publish(subject, payload, options)";
    mustKnow(options, call, ["id", "headers", "timeout", "name"]);
    const { id, ...others } = options ?? {};
    if (id !== undefined) {
      mustBeName(id, `${call}: \`id\``);
      others.headers = { ...others.headers, "Nats-Msg-Id": id };
    }
    const stored = await natsRequest(this.#key, subject, payload, others, true);
    const { stream, seq, duplicate } = stored.json;
    return { stream, sequence: seq, duplicate: duplicate === true };
  }
  async api(operation, payload, options) {
    mustBeName(operation, "jetstream.api(operation, payload): the operation");
    // The other words name streams and consumers, of which there can be many.
    const name = operation.split(".").slice(0, 2).join(".");
    const reply = await natsRequest(this.#key, `$JS.API.${operation}`, payload, { name: `$JS.API.${name}`, ...options }, true);
    return reply.json;
  }
  consumer(stream, name) { return new Consumer(this.#key, [stream, name]); }
}

class Nats {
  #key;
  constructor(key) {
    this.#key = key;
    this.jetstream = new JetStream(key);
  }
  get open() { return isOpen(this.#key); }
  get server() { return natsServer(this.#key); }
  publish(subject, payload, options) { natsPublish(this.#key, subject, payload, options); }
  subscribe(subject, options) { return natsSubscribe(this.#key, subject, options); }
  request(subject, payload, options) { return natsRequest(this.#key, subject, payload, options, false); }
  flush() { return natsFlush(this.#key); }
  on(event, fn) {
    mustBeEvent(event, "nats.on(event, fn)", ["close"]);
    mustBeFunction(fn, "nats.on(event, fn): `fn`");
    listen(this.#key, "close", (_, reason) => fn(reason));
  }
  close() { return closeSocket(this.#key, undefined, undefined); }
}

export const makeNats = (key) => new Nats(key);
export const makeSubscription = (key, subject) => new Subscription(key, subject);
