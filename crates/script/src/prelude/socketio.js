// A user's Socket.IO socket.
import { closeSocket, isOpen, last, listen, natives, stopReceiving } from "headcount/native";
import { mustBeFunction, mustBeName } from "headcount/check";
import { Channel } from "headcount/socket";

const { acknowledge, emit, emitAcknowledged, emitPlain, isProtocols, listenEvent, nextEvent, plainJson, receivesEvent } = natives;

/** Maximum depth of the search for bytes. A deeper value is circular, which JSON then reports. */
const DEEPEST = 64;

const isBytes = (value) => value instanceof ArrayBuffer || value instanceof Uint8Array;

function holdsBytes(value, depth) {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return false;
  if (isBytes(value)) return true;
  for (const key in value) if (holdsBytes(value[key], depth + 1)) return true;
  return false;
}

/** Converts a list to JSON text, and to the bytes for its placeholders. */
function packed(list) {
  const plain = plainJson(list);
  if (plain !== undefined) return [plain];
  if (!holdsBytes(list, 0)) return [JSON.stringify(list)];
  const bytes = [];
  const text = JSON.stringify(list, (_, value) => (isBytes(value) ? { _placeholder: true, num: bytes.push(value) - 1 } : value));
  return [text, bytes];
}

function filled(value, bytes) {
  if (typeof value !== "object" || value === null) return value;
  if (value._placeholder === true) return bytes[value.num];
  for (const key in value) value[key] = filled(value[key], bytes);
  return value;
}

const given = (list, bytes) => (bytes === undefined ? list : filled(list, bytes));

/** Converts an acknowledgement or an awaited event to its argument, or to a list of several arguments. */
export function heard(list, bytes) {
  const all = given(list, bytes);
  return all.length > 1 ? all : all[0];
}

/** Runs a handler. Its return value, or that of its promise, is the acknowledgement if the server requested one. */
export function hear(key, fn, list, bytes, ack) {
  const answer = fn(...given(list, bytes));
  if (ack === undefined || answer === undefined) return;
  const say = (value) => {
    if (value === undefined || !isOpen(key)) return;
    const [list, packedBytes] = packed([value]);
    acknowledge(key, ack, list, packedBytes);
  };
  return typeof answer?.then === "function" ? answer.then(say) : say(answer);
}

function nameOf(event, call) {
  mustBeName(event, `${call}: the event`);
  if (isProtocols(event)) throw new TypeError(`${call}: "${event}" is reserved by Socket.IO`);
  return event;
}

class SocketIo {
  #key;
  constructor(key, id) {
    this.#key = key;
    this.id = id;
  }
  get open() { return isOpen(this.#key); }
  emit(event, ...args) {
    // Most events are plain data, for which no further objects are created here.
    if (emitPlain(this.#key, event, args)) return;
    nameOf(event, "socket.emit(event, …)");
    const [list, bytes] = packed([event, ...args]);
    emit(this.#key, list, bytes);
  }
  request(event, ...args) {
    const options = typeof event === "object" && event !== null ? event : { event };
    const name = nameOf(options.event, "socket.request(event, …)");
    const [list, bytes] = packed([name, ...args]);
    return emitAcknowledged(this.#key, list, bytes, options);
  }
  on(event, fn) {
    mustBeFunction(fn, "socket.on(event, fn): `fn`");
    if (event === "disconnect") return listen(this.#key, "close", (_, reason) => fn(reason));
    listenEvent(this.#key, nameOf(event, "socket.on(event, fn)"), fn);
  }
  next(event, options) { return nextEvent(this.#key, nameOf(event, "socket.next(event)"), options); }
  receives(channel, options) {
    const receiving = receivesEvent(this.#key, Channel.id(channel), options);
    return () => stopReceiving(this.#key, receiving);
  }
  last(channel) { return last(this.#key, Channel.id(channel)); }
  close() { return closeSocket(this.#key, undefined, undefined); }
}

export const makeSocketIo = (key, id) => new SocketIo(key, id);
