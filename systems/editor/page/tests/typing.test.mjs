// Several users edit one text while connections break and servers die. At the end all see the same text, and nothing is
// lost.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Person, Server, agree, openBrowser } from "./harness.mjs";

const browser = await openBrowser();
const server = await Server.start();

const inParallel = (people, act) => Promise.all(people.map(act));
const leave = (people) => inParallel(people, (person) => person.leave());
const enter = (room, names) => Promise.all(names.map((name) => Person.enter(browser, server, room, { name })));

async function typeAtOnce(room, names) {
  const people = await enter(room, names);
  for (const person of people) await person.newLine();
  await inParallel(people, async (person, at) => {
    for (let word = 0; word < 4; word += 1) await person.type(`${names[at]}${word} `);
  });
  const words = names.flatMap((name) => [0, 1, 2, 3].map((word) => `${name}${word}`));
  return { people, words };
}

test("two people type at the same time and see the same text", async () => {
  const { people, words } = await typeAtOnce("two", ["ada", "ben"]);
  await agree(people, words);
  await leave(people);
});

test("five people type at the same time and see the same text", async () => {
  const { people, words } = await typeAtOnce("five", ["ada", "ben", "cleo", "dev", "eve"]);
  await agree(people, words);
  await leave(people);
});

test("who types without a network keeps it, is told so, and everybody has it afterwards", async () => {
  const people = await enter("offline", ["ada", "ben"]);
  const [ada, ben] = people;
  await ada.type("before ");
  await agree(people, ["before"]);
  await ada.context.setOffline(true);
  await ada.reaches("reconnecting");
  await ada.type("without ");
  await ada.page.getByText("kept in this page").waitFor();
  await ben.newLine();
  await ben.type("meanwhile");
  assert.ok(!(await ben.text()).includes("without"), "it cannot have come through");
  await ada.context.setOffline(false);
  await ada.reaches("online");
  await agree(people, ["before", "without", "meanwhile"]);
  await leave(people);
});

test("a server that is killed and comes back loses nothing of what was typed before and meanwhile", async () => {
  const mortal = await Server.start();
  const people = await Promise.all(["ada", "ben"].map((name) => Person.enter(browser, mortal, "killed", { name })));
  const [ada, ben] = people;
  await ada.type("before ");
  await agree(people, ["before"]);
  await mortal.kill();
  await inParallel(people, (person) => person.reaches("reconnecting"));
  await ada.type("first ");
  await ben.newLine();
  await ben.type("second");
  await mortal.startAgain();
  await inParallel(people, (person) => person.reaches("online"));
  await agree(people, ["before", "first", "second"]);
  await ada.type("after ");
  await agree(people, ["before", "first", "second", "after"]);
  await leave(people);
});

test("what the server will never take is not called sent, and can be saved", async () => {
  const small = await Server.start(["--max-document", "15000", "--max-message", "20000"]);
  const ada = await Person.enter(browser, small, "large", { name: "ada" });
  await ada.type("before ");
  await ada.context.setOffline(true);
  await ada.reaches("reconnecting");
  // Deleted text also goes to the server, because it may be restored.
  for (const letter of ["x", "y", "z"]) {
    await ada.page.keyboard.press("Control+a");
    await ada.page.keyboard.insertText(letter.repeat(9_000));
  }
  await ada.page.getByText("kept in this page").waitFor();
  await ada.page.evaluate(() => {
    const pill = document.querySelector(".pill");
    window.phases = [];
    new MutationObserver(() => window.phases.push(pill.dataset.phase)).observe(pill, { attributes: true });
  });
  await ada.context.setOffline(false);
  await ada.page.getByRole("heading", { name: "Not everything was taken" }).waitFor();
  assert.ok(!(await ada.page.evaluate(() => window.phases)).includes("online"), "it called itself connected");
  const download = ada.page.waitForEvent("download");
  await ada.page.getByRole("button", { name: "Save the text" }).click();
  assert.equal(await readFile(await (await download).path(), "utf8"), "z".repeat(9_000));
  const asked = ada.page.waitForEvent("dialog");
  const click = ada.page.getByRole("button", { name: "Try again" }).click();
  const dialog = await asked;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  await click;
  await leave([ada]);
});

test("a page that finds no server says so, and opens when there is one", async () => {
  const ada = await Person.open(browser, server.url("/"), { name: "ada" });
  let up = false;
  await ada.page.routeWebSocket(/./, (socket) => (up ? socket.connectToServer() : socket.close({ code: 1012 })));
  await ada.page.goto(server.url("/editor/opening"));
  await ada.page.getByText("The server cannot be reached.").waitFor();
  assert.equal(await ada.page.locator(".cm-content").getAttribute("aria-readonly"), "true", "nothing can be typed yet");
  up = true;
  await ada.reaches("online");
  await ada.type("now");
  await agree([ada], ["now"]);
  await leave([ada]);
});

test("who comes after everybody has left sees the text, and so does who comes after the server was killed", async () => {
  const mortal = await Server.start();
  const enter = (name) => Person.enter(browser, mortal, "late", { name });
  const first = await Promise.all(["ada", "ben"].map(enter));
  await first[0].type("all that was written");
  await agree(first, ["all that was written"]);
  await leave(first);
  const cleo = await enter("cleo");
  await agree([cleo], ["all that was written"]);
  await cleo.leave();
  await mortal.kill();
  await mortal.startAgain();
  const dev = await enter("dev");
  await agree([dev], ["all that was written"]);
  await dev.leave();
});
