// Documents of a realistic size as a CRDT: every edit is a Yjs update with the typed line, sent to all others in the
// room. The script encodes the updates in the format of Yjs (version 1), so that the generator needs no copy of each
// document. Both levels have the same users. Their documents start with 2 KB and with 50 KB.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 5,
  load: { users: [100, 100], ramp: "2s", warmup: "1s", duration: "8s" },
  thresholds: {
    "delivery(edit)": ["p95 < 20ms", "lost == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
    "converged(document)": ["diverged == 0"],
    checks: ["failed == 0"],
    iterations: ["failed == 0"],
    connections: ["failed == 0"],
  },
  settle: "8s",
};

const LINE = "const answer = question.length * 42; // what else should it be?\n";
/** Sync protocol, step 1, with an empty state: requests the whole document. */
const STEP_1 = new Uint8Array([0, 0, 1, 0]);

/** A variable-length unsigned integer, as in Yjs. */
function number(bytes: number[], value: number) {
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
}

function string(bytes: number[], text: string) {
  const encoded = new TextEncoder().encode(text);
  number(bytes, encoded.length);
  for (const byte of encoded) bytes.push(byte);
}

interface Id {
  client: number;
  clock: number;
}

/** The update that inserts `text` (ASCII) after the character `after` of the text "code", or at its start. */
function insertion(at: Id, after: Id | undefined, text: string): Uint8Array {
  const update: number[] = [];
  number(update, 1); // one client,
  number(update, 1); // one piece,
  number(update, at.client);
  number(update, at.clock);
  update.push(after ? 0x84 : 0x04); // a string, with or without a left neighbour
  if (after) {
    number(update, after.client);
    number(update, after.clock);
  } else {
    number(update, 1); // the parent follows by name
    string(update, "code");
  }
  string(update, text);
  number(update, 0); // no deletions
  const message = [0, 2]; // sync: an update
  number(message, update.length);
  return new Uint8Array(message.concat(update));
}

export default async function edit({ id, level, everyone, channel }: Group) {
  const document = LINE.repeat(Math.ceil((level.index === 0 ? 2_000 : 50_000) / LINE.length));
  const edits = channel("edit", { to: "others" });
  /** The user who writes the initial document. */
  const first = 1;
  await everyone(async (user, here) => {
    const client = 2 + user.number;
    const socket = await user.websocket("/yjs/:room", { params: { room: id } });
    await socket.next(); // the server requests this user's state
    await here("connected");
    if (user.index === 0) {
      socket.send(insertion({ client: first, clock: 0 }, undefined, document));
      socket.send(STEP_1);
    }
    await socket.next(); // the document, or for its writer the confirmation
    const stop = socket.receives(edits);
    await here("the document is there");
    const lines: string[] = [];
    let clock = 0;
    user.every("2s", () => {
      const line = edits.stamp(user, "let next = ") + "\n";
      const after = clock > 0 ? { client, clock: clock - 1 } : { client: first, clock: document.length - 1 };
      socket.send(insertion({ client, clock }, after, line));
      clock += line.length;
      lines.push(line);
    });
    await user.stay();
    stop(); // the state that follows repeats every line and is not a delivery
    socket.send(STEP_1);
    const state = new TextDecoder().decode(await socket.next());
    user.check("every line typed is in the document", lines.every((line) => state.includes(line)));
    user.state("document", state);
  });
}
