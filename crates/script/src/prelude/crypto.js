// The global `crypto` of the web, with the user's seeded generator: a run with the same seed repeats its values.
import { randomBytes, randomUuid } from "headcount/native";
import { refused, refusedMethods } from "headcount/absent";

const INTEGERS = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array,
];

function getRandomValues(array) {
  if (!INTEGERS.some((kind) => array instanceof kind)) {
    throw new TypeError("crypto.getRandomValues(array): the array must be an integer typed array, such as Uint8Array");
  }
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(randomBytes(array.byteLength));
  return array;
}

const subtle = {};
const methods = {
  digest: 'use `hash(algorithm, data)` from "headcount"',
  sign: 'use `hmac(algorithm, key, data)` from "headcount"',
  verify: 'compare with `hmac(algorithm, key, data)` from "headcount"',
  importKey: 'pass the key to `hmac(algorithm, key, data)` from "headcount"',
};
const others = ["encrypt", "decrypt", "generateKey", "exportKey", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
for (const name of others) methods[name] = 'only `hash` and `hmac` from "headcount" are available';
// Only the calls fail: a library may read `crypto.subtle` while it loads, and never use it.
for (const [name, advice] of Object.entries(methods)) subtle[name] = refused(`crypto.subtle.${name}`, advice);

export const crypto = Object.freeze({
  getRandomValues,
  randomUUID: () => randomUuid(),
  subtle: Object.freeze(subtle),
  ...refusedMethods("crypto"),
});
