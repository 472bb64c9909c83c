// Passive audiences: receivers without a script.
import { declareAudience } from "headcount/native";

export class Audience {
  #number;
  constructor(count, options) { this.#number = declareAudience(count, options); }

  /** Returns the native number of an audience, or undefined for another value; not for scenarios. */
  static number(value) {
    return typeof value === "object" && value !== null && #number in value ? value.#number : undefined;
  }
}
