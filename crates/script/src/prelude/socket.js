// WebSockets and channels.
import { closeSocket, roundTrip, isOpen, last, listen, next, ping, receives, send, stamp, stopReceiving } from "headcount/native";
import { mustBeEvent, mustBeFunction } from "headcount/check";
import { startOn } from "headcount/audio";

export class Channel {
  #id;
  constructor(id, name) {
    this.#id = id;
    this.name = name;
  }
  stamp(user, text) { return stamp(user, this.#id, text); }

  /** Returns the native ID of a channel; not for scenarios. */
  static id(channel) {
    if (typeof channel !== "object" || channel === null || !(#id in channel)) {
      throw new TypeError("socket.receives(channel): the channel must come from group.channel()");
    }
    return channel.#id;
  }
}

class Socket {
  #key;
  constructor(key, subprotocol) {
    this.#key = key;
    if (subprotocol !== undefined) this.subprotocol = subprotocol;
  }
  get open() { return isOpen(this.#key); }
  send(message) { send(this.#key, message); }
  request(message, options) { return roundTrip(this.#key, message, options); }
  receives(channel, options) {
    const receiving = receives(this.#key, Channel.id(channel), options);
    return () => stopReceiving(this.#key, receiving);
  }
  last(channel) { return last(this.#key, Channel.id(channel)); }
  next(options) { return next(this.#key, options); }
  on(event, fn) {
    mustBeEvent(event, "socket.on(event, fn)", ["message", "close"]);
    mustBeFunction(fn, "socket.on(event, fn): `fn`");
    listen(this.#key, event, fn);
  }
  stream(name, source, options) { return startOn(this.#key, name, source, options); }
  ping() { return ping(this.#key); }
  close(code, reason) { return closeSocket(this.#key, code, reason); }
}

export const makeSocket = (key, subprotocol) => new Socket(key, subprotocol);
