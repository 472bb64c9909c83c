// A user's stream of server-sent events.
import { closeSocket, isOpen, last, listen, natives, stopReceiving } from "headcount/native";
import { mustBeEvent, mustBeFunction, parseReceived } from "headcount/check";
import { Channel } from "headcount/socket";

const { lastEventId, nextServerEvent, receivesServerEvent, reconnects } = natives;

class ServerEvent {
  constructor(event, id, data) {
    this.event = event;
    this.id = id;
    this.data = data;
  }
  get json() { return parseReceived(this.data); }
}

class EventStream {
  #key;
  constructor(key) { this.#key = key; }
  get open() { return isOpen(this.#key); }
  get lastEventId() { return lastEventId(this.#key); }
  get reconnects() { return reconnects(this.#key); }
  receives(channel, options) {
    const receiving = receivesServerEvent(this.#key, Channel.id(channel), options);
    return () => stopReceiving(this.#key, receiving);
  }
  last(channel) { return last(this.#key, Channel.id(channel)); }
  next(options) { return nextServerEvent(this.#key, options); }
  on(event, fn) {
    mustBeEvent(event, "stream.on(event, fn)", ["event", "close"]);
    mustBeFunction(fn, "stream.on(event, fn): `fn`");
    if (event === "event") listen(this.#key, "message", fn);
    else listen(this.#key, "close", (_, reason) => fn(reason));
  }
  close() { return closeSocket(this.#key, undefined, undefined); }
}

export const makeEventStream = (key) => new EventStream(key);
export const makeServerEvent = (event, id, data) => new ServerEvent(event, id, data);
