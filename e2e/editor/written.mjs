// Yjs itself reads the updates that the study of the editor encodes by hand: node written.mjs SCENARIO
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import ts from "typescript";
import * as Y from "yjs";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { messageYjsUpdate, readSyncMessage } from "y-protocols/sync";

const source = readFileSync(process.argv[2], "utf8").replaceAll(/^export default /gm, "");
const options = { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } };
const script = ts.transpileModule(source, options).outputText;
const insertion = new Function("exports", "require", `${script}; return insertion;`)({}, () => ({}));

/** Returns the text that Yjs reads from these messages. */
function read(messages) {
  const doc = new Y.Doc();
  for (const message of messages) {
    const decoder = decoding.createDecoder(message);
    assert.equal(decoding.readVarUint(decoder), 0); // the sync protocol
    assert.equal(readSyncMessage(decoder, encoding.createEncoder(), doc, "test"), messageYjsUpdate);
    assert.equal(decoder.pos, message.length);
  }
  assert.equal(doc.store.pendingStructs, null);
  return doc.getText("code").toString();
}

const document = "0123456789".repeat(5000);
const begin = insertion({ client: 1, clock: 0 }, undefined, document);
assert.equal(read([begin]), document);

// Two users append lines to the document at the same time. In any order of arrival, the lines of each stay together.
const lines = [300, 70_000].map((client) => {
  let clock = 0;
  let last = { client: 1, clock: document.length - 1 };
  return Array.from({ length: 200 }, (_, n) => {
    const line = `${client} says ${n}\n`;
    const message = insertion({ client, clock }, last, line);
    clock += line.length;
    last = { client, clock: clock - 1 };
    return { line, message };
  });
});
const [one, other] = lines;
const inTurn = one.flatMap((line, n) => [line, other[n]]);
const texts = [[...one, ...other], [...other, ...one], inTurn].map((all) => read([begin, ...all.map((each) => each.message)]));
assert.ok(texts.every((text) => text === texts[0]));
for (const own of lines) assert.ok(texts[0].includes(own.map((each) => each.line).join("")));
assert.equal(texts[0].length, document.length + inTurn.reduce((sum, each) => sum + each.line.length, 0));
