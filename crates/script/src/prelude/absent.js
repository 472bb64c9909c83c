// Names that developers for the web or Node expect, but that scenarios do not have, with the alternatives.

/** Functions and classes. They exist, so that the error can name the alternative wherever they are called. */
export const CALLS = {
  setTimeout: 'use `await user.think("1s")`',
  setInterval: 'use `user.every("1s", fn)`',
  setImmediate: "use `await`",
  fetch: "use `await user.get(url)`, `user.post(url, { json })` and so on",
  XMLHttpRequest: "use `await user.get(url)`, `user.post(url, { json })` and so on",
  WebSocket: "use `await user.websocket(url)`",
  EventSource: "use `await user.events(url)`",
  require: "use `import`",
  eval: "code comes from files only",
};

/**
 * Other names. They stay undefined, because libraries look at them to find out where they run. The report of the
 * ReferenceError names the alternative.
 */
const NAMES = {
  process: 'use `env(name)` from "headcount" for environment variables, and pass them with --env',
  Buffer: "use Uint8Array, with TextEncoder, TextDecoder, atob and btoa",
  localStorage: "use a variable of the scenario function",
  sessionStorage: "use a variable of the scenario function",
  __dirname: "csv(path), json(path) and `import` start at the scenario's folder",
  __filename: "csv(path), json(path) and `import` start at the scenario's folder",
  module: "use `export`",
  exports: "use `export`",
  global: "use globalThis",
  window: "there is no web page; use globalThis",
  self: "there is no web page; use globalThis",
  document: "there is no web page",
  navigator: "there is no browser",
  location: "use `response.url`",
  clearTimeout: "there are no timers",
  clearInterval: "use `ticker.stop()` with the result of `user.every`",
  Headers: "use an object: `{ headers: { name: value } }`",
  Request: "use `user.request(method, url, options)`",
  Response: "use `await user.get(url)`",
  FormData: "use the option `multipart` of requests",
  Blob: "use Uint8Array",
  File: "use the option `multipart` of requests",
  FileReader: "use csv(path) or json(path)",
  AbortController: "use the option `timeout`",
  AbortSignal: "use the option `timeout`",
  EventTarget: "use functions",
  Event: "use functions",
  CustomEvent: "use functions",
  MessageChannel: "the users of a group share variables",
  BroadcastChannel: "the users of a group share variables",
  ReadableStream: "use `response.body`, which is the whole body",
  WritableStream: "pass the whole body",
  TransformStream: "use `response.body`, which is the whole body",
  CompressionStream: "prepare compressed data in a file",
  DecompressionStream: "headcount decompresses responses",
  DOMParser: "bundle a parser from npm",
  Intl: "format numbers and dates with `toFixed` and `toISOString`",
  requestAnimationFrame: 'use `user.every("20ms", fn)`',
  alert: "use `console.log`",
  Worker: "use groups and users",
  SharedWorker: "use groups and users",
  importScripts: "use `import`",
  indexedDB: "use a variable of the scenario function",
  WebAssembly: "scenarios run JavaScript only",
  URLPattern: "use a regular expression",
  Deno: "use the API of \"headcount\"",
  Bun: "use the API of \"headcount\"",
  sleep: 'use `await user.think("1s")`',
  http: "use `await user.get(url)`",
  open: "use csv(path) or json(path) from \"headcount\"",
  exec: "use `user.number` and `group.iteration`",
  SharedArray: "use csv(path) or json(path) from \"headcount\"",
  randomItem: "use `random(list)` of the group",
  __ENV: 'use `env(name)` from "headcount", and pass the variables with --env',
  __VU: "use `user.number`",
  __ITER: "use `group.iteration`",
};

const LOG = "use `console.log`";
const TIME = "use `await user.step(name, fn)`, which measures the time";

/** Methods of objects that scenarios have. */
const METHODS = {
  console: {
    table: LOG, dir: LOG, trace: LOG, group: LOG, groupCollapsed: LOG, groupEnd: LOG, count: LOG,
    time: TIME, timeEnd: TIME, timeLog: TIME, assert: "use `check(name, ok)`",
  },
  crypto: {
    createHash: 'use `hash(algorithm, data)` from "headcount"',
    createHmac: 'use `hmac(algorithm, key, data)` from "headcount"',
    randomBytes: "use `crypto.getRandomValues(new Uint8Array(size))`",
  },
  performance: { mark: TIME, measure: TIME },
};

/** Creates the methods that an object of this name lacks. They only throw. */
export function refusedMethods(object) {
  const methods = Object.entries(METHODS[object]);
  return Object.fromEntries(methods.map(([name, advice]) => [name, refused(`${object}.${name}`, advice)]));
}

const sentence = (name, advice) => `${name} is not available in scenarios: ${advice}`;

/** Creates a function or class that only throws. */
export function refused(name, advice) {
  return function () { throw new TypeError(sentence(name, advice)); };
}

/** Members of the scenario function's argument, which developers forget to destructure. */
const OF_GROUP = [
  "active", "channel", "check", "eventually", "everyone", "iteration", "level", "random", "step", "think", "together", "users",
];
/** Exports of "headcount". */
const EXPORTS = ["Counter", "Gauge", "Trend", "audience", "csv", "env", "hash", "hmac", "json"];

/** Returns how a name of headcount gets into scope. */
function origin(name) {
  if (name === "group") return "the group is the argument of the scenario function; `await step(name, fn)` measures a part of it";
  if (OF_GROUP.includes(name)) return `take it from the group: \`export default async function scenario({ ${name} }) {…}\``;
  if (EXPORTS.includes(name)) return `write \`import { ${name} } from "headcount"\``;
}

/** Calls of users, which developers look for in the scenario function's argument. */
const OF_USER = [
  "get", "post", "put", "patch", "delete", "head", "request", "websocket", "socketio", "events", "nats", "redis", "every", "stay",
];
const ofUser = (name) => `users have this call, and the argument of the scenario function is a group: \`group.users[0].${name}(…)\``;

/** Calls that k6, `fetch` and Node have, and that are something else here. */
const CALLED = {
  ...Object.fromEntries(OF_USER.map((name) => [name, ofUser(name)])),
  json: "`response.json` is a value, not a call",
  text: "`response.text` is a value, not a call",
  html: "`response.text` is the body as text",
  arrayBuffer: "`response.body` is a value, not a call",
  body: "`response.body` is a value, not a call",
  status: "`response.status` is a value, not a call",
  sleep: 'use `await user.think("1s")`',
  pause: 'use `await user.think("1s")`',
  wait: 'use `await user.think("1s")`',
  del: "use `await user.delete(url)`",
  batch: "use `await Promise.all([user.get(…), user.get(…)])`",
  ws: "use `await user.websocket(url)`",
  connect: "use `await user.websocket(url)`",
  setTimeout: CALLS.setTimeout,
  setInterval: CALLS.setInterval,
  addEventListener: 'use `on("message", fn)`',
  emit: "only Socket.IO has events with names: `await user.socketio(url)`",
};

const NOT_DEFINED = " is not defined";
const NOT_A_FUNCTION = " is not a function";

/** Returns the message of an error. If it is about a name of these lists, it names the alternative. */
export function explained(name, message) {
  if (name === "TypeError" && message.endsWith(NOT_A_FUNCTION)) {
    const called = message.slice(0, -NOT_A_FUNCTION.length);
    return Object.hasOwn(CALLED, called) ? `${message}: ${CALLED[called]}` : message;
  }
  if (name !== "ReferenceError" || !message.endsWith(NOT_DEFINED)) return message;
  const missing = message.slice(0, -NOT_DEFINED.length);
  if (Object.hasOwn(NAMES, missing)) return sentence(missing, NAMES[missing]);
  const advice = origin(missing);
  return advice ? `${message}: ${advice}` : message;
}
