// The field report's tests: each user waits for the reply to a chunk of 20 ms before it sends the next one. With 300
// users, a third of them only stream, and a third only post recordings.
import type { Group, Options, User } from "headcount";

export const options: Options = {
  load: { users: [100, 200, 300], ramp: "2s", warmup: "1s", duration: "12s" },
  thresholds: { iterations: "failed == 0" },
  timeouts: { total: "10s" },
  settle: "3s",
};

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const next = (seed: number) => (Math.imul(seed, 1_103_515_245) + 12_345) | 0;

/** 640 bytes of white noise as base64: each letter has six random bits. The last letter has only four. */
function noise(seed: number): string {
  let text = "";
  for (let index = 0; index < 854; index++) {
    seed = next(seed);
    text += letters[index < 853 ? (seed >>> 16) & 63 : ((seed >>> 16) & 15) << 2];
  }
  return text + "==";
}

/** White noise as bytes. */
function recording(seconds: number): Uint8Array {
  let seed = seconds;
  return new Uint8Array(seconds * 32_000).map(() => (seed = next(seed)) >>> 16);
}

const chunks = Array.from({ length: 16 }, (_, index) => ({ type: "audio", data: noise(index + 1) }));
const recordings = [1, 2, 3].map(recording);

async function stream(group: Group, user: User, chunksOfSession: number) {
  const socket = await user.websocket("/v1/transcribe/stream", { name: "connect" });
  await socket.next({ only: { "/type": "session_start" } });
  for (let sent = 0; sent < chunksOfSession && group.active; sent++) {
    await socket.request(chunks[sent % chunks.length]!, { name: "audio_chunk" });
  }
  socket.send({ type: "stop" });
  await socket.close();
}

async function post(user: User) {
  await user.post("/v1/transcribe", { body: user.random(recordings), name: "transcribe" });
}

export default async function talk(group: Group) {
  const [user] = group.users;
  const kind = group.level.users === 300 ? group.number % 3 : 0;
  if (kind === 1) {
    await stream(group, user!, 100 + user!.random(401));
  } else if (kind === 2) {
    await post(user!);
  } else {
    const drawn = user!.random(11);
    if (drawn < 7) await stream(group, user!, 50 + user!.random(201));
    else if (drawn < 10) await post(user!);
    else await user!.get("/v1/health", { name: "health" });
  }
  await (kind === 0 ? user!.think("500ms", "2s") : user!.think("100ms", "500ms"));
}
