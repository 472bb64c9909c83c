/**
 * Hashes and signatures. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  export type HashAlgorithm = "md5" | "sha1" | "sha256" | "sha512";
  /** "base64url" has no padding. */
  export type HashEncoding = "hex" | "base64" | "base64url";
  /** Input of a hash. A string is encoded as UTF-8. */
  export type HashInput = string | ArrayBuffer | Uint8Array;

  /** The hash of `data`. Default encoding: "hex". */
  export function hash(algorithm: HashAlgorithm, data: HashInput, encoding?: HashEncoding): string;
  export function hash(algorithm: HashAlgorithm, data: HashInput, encoding: "bytes"): Uint8Array;
  /** The HMAC of `data`, for signed requests and webhooks. Default encoding: "hex". */
  export function hmac(algorithm: HashAlgorithm, key: HashInput, data: HashInput, encoding?: HashEncoding): string;
  export function hmac(algorithm: HashAlgorithm, key: HashInput, data: HashInput, encoding: "bytes"): Uint8Array;
}
