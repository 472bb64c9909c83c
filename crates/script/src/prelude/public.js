// The exports of `"headcount"`.
import { metric, openTable } from "headcount/native";
import { mustBeName } from "headcount/check";
import { Audience } from "headcount/audience";
import { Table } from "headcount/user";

export { env, hash, hmac } from "headcount/native";
export { audio } from "headcount/audio";

export const csv = (path, options) => new Table(path, openTable("csv", path, options));
export const json = (path, options) => new Table(path, openTable("json", path, options));

export const audience = (count, options) => new Audience(count, options);

export class Counter {
  #name;
  constructor(name) {
    mustBeName(name, "new Counter(name): the name");
    this.#name = name;
  }
  add(value = 1) { metric(0, this.#name, value); }
}

export class Gauge {
  #name;
  constructor(name) {
    mustBeName(name, "new Gauge(name): the name");
    this.#name = name;
  }
  set(value) { metric(1, this.#name, value); }
}

export class Trend {
  #name;
  constructor(name) {
    mustBeName(name, "new Trend(name): the name");
    this.#name = name;
  }
  add(value) { metric(2, this.#name, value); }
}
