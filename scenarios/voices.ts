// Live voices: each user speaks one of the shipped sentences in chunks of 20 ms, and the service transcribes it. Chunks
// are sent on time, whatever the replies do, so the report shows whether the service keeps up.
import { audio, type Group, type Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:8000",
  load: { users: [10, 50], duration: "20s" },
  thresholds: {
    "stream(voice)": ["rtf p5 > 0.98", "lag p95 < 500ms", "final p95 < 1s", "unanswered == 0"],
    "roundTrip(voice)": "p99 < 100ms",
  },
};

const pause = audio.silence("600ms");
const sentences = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => audio.speech(number).concat(pause));

export default async function speak({ users: [user] }: Group) {
  const socket = await user!.websocket("/v1/transcribe/stream", { name: "stream" });
  const voice = socket.stream("voice", sentences[user!.number % sentences.length]!, {
    as: { type: "audio", data: audio.base64 },
    reply: { only: { "/type": ["partial", "final"] } },
    results: { first: { only: { "/type": "partial" }, has: "/text" }, final: { only: { "/type": "final" } } },
  });
  await voice.done;
  socket.send({ type: "stop" });
  await socket.close();
}
