// Live streams: each user sends speech in chunks of 20 ms by the clock, whatever the replies do. One user in ten also
// posts recordings.
import { audio, env, type Group, type Options, type User } from "headcount";

export const options: Options = {
  load: { users: [100, 200, 500, 1000], ramp: "3s", warmup: "1s", duration: "10s" },
  thresholds: {
    "stream(voice)": ["rtf p5 > 0.98", "lag p95 < 500ms", "unanswered == 0", "surplus == 0", "dropped == 0"],
    "roundTrip(voice)": "p99 < 100ms",
    "request(transcribe)": "p99 < 200ms",
    iterations: "failed == 0",
  },
  timeouts: { total: "10s" },
  settle: "2s",
};

/** Every nth user posts recordings. */
const posting = Number(env("POSTING", "10"));
const pause = audio.silence("700ms");
const sentences = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => audio.speech(number).concat(pause));
// Each begins with another sentence, so that not all users pause at the same time.
const voices = sentences.map((first, index) => first.concat(...sentences.slice(index + 1), ...sentences.slice(0, index)));
/** Two seconds. */
const recording = new Uint8Array(64_000);

async function post(group: Group, user: User) {
  while (group.active) {
    await user.post("/v1/transcribe", { body: recording, name: "transcribe" });
    await user.think("500ms", "900ms");
  }
}

export default async function speak(group: Group) {
  const [user] = group.users;
  const socket = await user!.websocket("/v1/transcribe/stream", { name: "stream" });
  const voice = socket.stream("voice", voices[group.number % voices.length]!, {
    as: { type: "audio", data: audio.base64 },
    repeat: 100,
    reply: { only: { "/type": ["partial", "final"] } },
    results: { first: { only: { "/type": "partial" }, has: "/text" }, final: { only: { "/type": "final" } } },
  });
  const posts = group.number % posting === posting - 1;
  await Promise.all([voice.done, posts && post(group, user!)]);
  await socket.close();
}
