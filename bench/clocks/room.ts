import { audience, type Group, type Options } from "headcount";

export const options: Options = { groups: 4, load: { users: 4, duration: "3s" }, settle: "1s", deadline: "1s" };

/** One room for each speaker, with one listener on each agent. */
const rooms = [0, 1, 2, 3].map((number) => {
  const path = `/room/${number}`;
  const receives = { [`from ${number}`]: { at: "/text" } };
  return { path, listeners: audience(4, { receives, connect: () => ({ websocket: path }) }) };
});

export default async function speak({ number, users: [speaker], channel }: Group) {
  const { path, listeners } = rooms[number]!;
  const said = channel(`from ${number}`, { to: listeners });
  const socket = await speaker!.websocket(path);
  speaker!.every("50ms", () => socket.send({ text: said.stamp(speaker!) }));
  await speaker!.stay();
}
