// The official NATS client for Node. Prints all messages on a subject as JSON when the standard input ends.
import { connect } from "@nats-io/transport-node";

const [url, subject] = process.argv.slice(2);
const client = await connect({ servers: url });
const received = [];
client.subscribe(subject, {
  callback: (error, message) => {
    if (error) throw error;
    received.push([message.subject, message.headers.get("Nats-Msg-Id"), message.json().text]);
  },
});
await client.flush();
console.log("ready");
for await (const ignored of process.stdin);
await client.drain();
console.log(JSON.stringify(received));
