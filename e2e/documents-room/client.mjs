// Checks the room's SignalR framing with the official client: three clients join, each sends 50 messages, and all
// receive all of them. Prints the number of messages that each client received. The argument is the port of the room.

import { HttpTransportType, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";

const SAYS = 50;
const clients = await Promise.all(
  [0, 1, 2].map(async () => {
    const url = `http://127.0.0.1:${process.argv[2]}/signalr`;
    const options = { skipNegotiation: true, transport: HttpTransportType.WebSockets };
    const connection = new HubConnectionBuilder().withUrl(url, options).configureLogging(LogLevel.Error).build();
    const client = { connection, heard: 0 };
    client.all = new Promise((resolve) => connection.on("said", () => ++client.heard === 3 * SAYS && resolve()));
    await connection.start();
    await connection.invoke("Join", "official");
    return client;
  }),
);
await Promise.all(
  clients.map(async ({ connection }) => {
    for (let at = 0; at < SAYS; at += 1) await connection.invoke("Say", { text: `${at}` });
  }),
);
await Promise.all(clients.map(({ all }) => all));
console.log(JSON.stringify(clients.map(({ heard }) => heard)));
await Promise.all(clients.map(({ connection }) => connection.stop()));
