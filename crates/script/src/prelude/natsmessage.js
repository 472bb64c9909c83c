// Messages of NATS. Messages of a JetStream consumer can be acknowledged.
import { natives, span, utf8Decode, utf8Encode } from "headcount/native";
import { mustKnow, parseReceived } from "headcount/check";

const { natsPublish } = natives;

const ACKNOWLEDGED = "$JS.ACK.";

class NatsMessage {
  #connection;
  #payload;
  #headers;
  constructor(connection, subject, reply, payload, headers, code, description) {
    this.#connection = connection;
    this.#payload = payload;
    this.#headers = headers;
    this.subject = subject;
    this.reply = reply ?? undefined;
    if (code !== null && code !== undefined) this.status = { code, description };
  }
  get text() { return typeof this.#payload === "string" ? this.#payload : utf8Decode(this.#payload, false); }
  get json() { return parseReceived(this.text); }
  get bytes() { return typeof this.#payload === "string" ? utf8Encode(this.#payload) : new Uint8Array(this.#payload); }
  get headers() {
    const all = {};
    for (const [name, value] of this.#headers) all[name] = Object.hasOwn(all, name) ? [].concat(all[name], value) : value;
    return all;
  }
  respond(payload, options) {
    if (this.reply === undefined) throw new TypeError("message.respond(payload): the message has no subject for replies");
    natsPublish(this.#connection, this.reply, payload, options);
  }
}

/** A message of a JetStream consumer. Its subject for replies contains its place, and receives the acknowledgement. */
class StoredMessage extends NatsMessage {
  #place() {
    const words = this.reply.slice(ACKNOWLEDGED.length).split(".");
    // The longer form has a domain and an account first.
    return words.length > 7 ? words.slice(2) : words;
  }
  get stream() { return this.#place()[0]; }
  get delivered() { return Number(this.#place()[2]); }
  get sequence() { return Number(this.#place()[3]); }
  ack() { this.respond("+ACK"); }
  nak(options) {
    mustKnow(options, "message.nak(options)", ["delay"]);
    if (options?.delay === undefined) return this.respond("-NAK");
    const delay = Math.round(span(options.delay, "message.nak(options): `delay`"));
    this.respond(`-NAK ${JSON.stringify({ delay })}`);
  }
  progress() { this.respond("+WPI"); }
  term() { this.respond("+TERM"); }
}

export function makeNatsMessage(connection, subject, reply, payload, headers, code, description) {
  const Kind = reply?.startsWith(ACKNOWLEDGED) ? StoredMessage : NatsMessage;
  return new Kind(connection, subject, reply, payload, headers, code, description);
}
