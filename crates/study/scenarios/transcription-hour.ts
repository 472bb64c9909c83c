// An hour of speech in each session, in chunks of half a second at 125 times the pace of speech.
import { audio, type Group, type Options } from "headcount";

export const options: Options = {
  load: { users: 5, duration: "33s" },
  thresholds: { "streams": ["unanswered == 0", "dropped == 0"], iterations: "failed == 0" },
  settle: "5s",
};

const speech = audio.speech().concat(audio.silence("400ms"));

export default async function speak(group: Group) {
  const [user] = group.users;
  if (group.iteration > 0) return group.users[0]!.stay();
  const socket = await user!.websocket("/v1/transcribe/stream", { name: "stream" });
  const hour = socket.stream("hour", speech, {
    chunk: "500ms",
    every: "4ms",
    as: { type: "audio", data: audio.base64 },
    repeat: Math.ceil(3600 / speech.seconds),
    reply: { only: { "/type": ["partial", "final"] } },
  });
  await hour.done;
  await user!.stay();
  socket.send({ type: "stop" });
  await socket.close();
}
