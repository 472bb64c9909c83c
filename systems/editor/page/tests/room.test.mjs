// Actions of users in a room, and what the others see.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { io } from "socket.io-client";
import { Person, Server, agree, openBrowser, until } from "./harness.mjs";

const browser = await openBrowser();
const server = await Server.start(["--max-members", "3"]);
const enter = (room, name, options) => Person.enter(browser, server, room, { name, ...options });
const leave = (...people) => Promise.all(people.map((person) => person.leave()));

test("the start page makes a room by keyboard alone, and its link brings others there by name", async () => {
  const ada = await Person.open(browser, server.url("/"));
  await ada.page.keyboard.type("Ada");
  await ada.page.keyboard.press("Enter");
  await ada.reaches("online");
  assert.match(new URL(ada.page.url()).pathname, /^\/editor\/[a-z]+-[a-z]+-[a-z0-9]{6}$/);
  await until("the caret is in the text", () => ada.page.locator(".cm-content").evaluate((code) => code === document.activeElement));
  await ada.page.keyboard.type("hello");
  const ben = await Person.open(browser, ada.page.url());
  await ben.page.getByRole("heading", { name: "You are invited." }).waitFor();
  await ben.page.keyboard.type("Ben");
  await ben.page.keyboard.press("Enter");
  await agree([ada, ben], ["hello"]);
  await leave(ada, ben);
});

test("a name and a room are asked for in words", async () => {
  const ada = await Person.open(browser, server.url("/"));
  await ada.page.getByRole("button", { name: "Start a new room" }).click();
  await ada.page.getByText("Say your name first").waitFor();
  await ada.page.getByLabel("Your name").fill("Ada");
  await ada.page.getByLabel("Room", { exact: true }).fill("no/such?room");
  await ada.page.getByRole("button", { name: "Join" }).click();
  await ada.page.getByText("That is no room").waitFor();
  await ada.page.getByLabel("Room", { exact: true }).fill(`${server.url("/editor/by%20link")}?utm=1`);
  await ada.page.getByRole("button", { name: "Join" }).click();
  await ada.page.getByRole("heading", { name: "by link" }).waitFor();
  await leave(ada);
});

test("people see who is there, who types, and where", async () => {
  const [ada, ben] = await Promise.all([enter("seen", "Ada"), enter("seen", "Ben")]);
  await ada.page.locator(".people").getByText("Ben").waitFor();
  await ben.type("look here");
  await ada.page.locator(".status-typing").getByText("Ben is typing…").waitFor();
  const caret = ada.page.locator(".remote-caret");
  await caret.waitFor();
  assert.equal(await caret.locator(".remote-name").textContent(), "Ben");
  await ben.page.keyboard.press("Shift+Home");
  await ada.page.locator(".remote-selection").first().waitFor();
  const own = (person) => person.page.locator(".person .avatar").first().evaluate((avatar) => getComputedStyle(avatar).backgroundColor);
  assert.notEqual(await own(ada), await own(ben), "two people of one colour");
  await leave(ben);
  await until("Ben's caret is gone", async () => (await caret.count()) === 0);
  await ada.page.getByText("Ben left.").waitFor();
  await leave(ada);
});

test("what is run is seen by everybody in the room, or why nothing is run", async () => {
  const [ada, ben] = await Promise.all([enter("run", "Ada"), enter("run", "Ben")]);
  await ada.language("shell");
  await ada.type("echo 6 times 7 is $((6 * 7))");
  await agree([ada, ben], ["echo 6 times 7 is $((6 * 7))"]);
  await ben.page.keyboard.press("Control+Enter");
  await ben.page.locator(".output[data-kind=good], .output[data-kind=refused]").waitFor();
  if ((await ben.page.locator(".output").getAttribute("data-kind")) === "refused") {
    assert.match((await ben.page.locator(".output-body").textContent()) ?? "", /cannot be run here/);
  } else {
    for (const person of [ada, ben]) await person.page.locator(".output-body").getByText("6 times 7 is 42").waitFor();
    await ada.page.locator(".output").getByText("run by Ben").waitFor();
  }
  await leave(ada, ben);
});

test("tabs of one name have colours of their own, even when they come at the same moment", async () => {
  const tabs = await Promise.all(["Ada", "Ada", "Ada"].map((name) => enter("tabs", name)));
  const colors = (tab) =>
    tab.page.locator(".person .avatar").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  for (const tab of tabs) {
    await until("three colours are seen", async () => {
      const seen = await colors(tab);
      return (seen.length === 3 && new Set(seen).size === 3) || seen;
    });
  }
  await leave(...tabs);
});

test("what the server does not run is not offered to be run", async () => {
  const offered = (person) =>
    person.page.locator("optgroup[label='Can be run'] option").evaluateAll((options) => options.map((option) => option.value).sort());
  const ada = await enter("offered", "Ada");
  const { languages } = await (await fetch(server.url("/page.json"))).json();
  if (languages !== null) await until("the server's list is offered", async () => String(await offered(ada)) === String(languages.toSorted()));
  await ada.page.route("**/page.json", (route) => route.fulfill({ json: { languages: ["python", "shell"] } }));
  await ada.page.reload();
  await until("another server's list is offered", async () => String(await offered(ada)) === "python,shell");
  await ada.language("java");
  await ada.page.getByTitle("Java cannot be run here").waitFor();
  assert.ok(await ada.page.getByRole("button", { name: "Run" }).isDisabled());
  await ada.language("python");
  await ada.page.getByTitle("Run (Ctrl+Enter)").waitFor();
  await leave(ada);
});

test("what is too large to be sent at once is refused, and what is typed then arrives", async () => {
  const [ada, ben] = await Promise.all([enter("paste", "Ada"), enter("paste", "Ben")]);
  await ada.type("before ");
  await ada.page.keyboard.insertText("x".repeat(1_200_000));
  await ada.page.getByText("That is too large: 1172 KB, and 488 KB fit at once.").waitFor();
  await ada.type("after");
  assert.equal(await agree([ada, ben], ["before after"]), "before after");
  await ada.page.locator('.pill[data-phase="online"]').waitFor();
  await leave(ada, ben);
});

test("a room takes so much text and no more", async () => {
  const small = await Server.start(["--max-document", "20", "--max-message", "2000"]);
  const ada = await Person.enter(browser, small, "small", { name: "Ada" });
  await until("the page knows the limit", () => ada.page.evaluate(async () => (await (await fetch("/page.json")).json()).maxDocument === 20));
  await ada.type("twenty bytes are her");
  await ada.type("e");
  await ada.page.getByText("The room is full of text").waitFor();
  assert.equal(await ada.text(), "twenty bytes are her");
  await ada.page.keyboard.press("Backspace");
  await ada.type("!");
  assert.equal(await agree([ada], ["he!"]), "twenty bytes are he!");
  await leave(ada);
});

test("the page speaks to its own server alone", async () => {
  const ada = await enter("policy", "Ada");
  const refused = await ada.page.evaluate(
    () =>
      new Promise((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => resolve(event.blockedURI));
        new WebSocket("ws://127.0.0.1:1/");
      }),
  );
  assert.match(refused, /^ws:\/\/127\.0\.0\.1:1/);
  ada.complaints.length = 0; // the expected policy violation
  await leave(ada);
});

test("a page that the server takes no lines from says so", async () => {
  const context = { name: "Ada" };
  const ada = await Person.open(browser, server.url("/editor/name").replace("127.0.0.1", "name.localhost"), context);
  await ada.page.getByText("--allow-origin http://name.localhost").waitFor();
  ada.complaints.length = 0; // the refused connections
  await leave(ada);
});

test("the language is of the room, and the theme is of the person", async () => {
  const [ada, ben] = await Promise.all([enter("language", "Ada"), enter("language", "Ben")]);
  await ada.language("rust");
  await until("Ben has it too", async () => (await ben.page.locator("select[name=language]").inputValue()) === "rust");
  await ada.type("fn main() {}");
  await ben.page.locator(".tok-keyword", { hasText: "fn" }).waitFor();
  await ada.page.locator("select[name=theme]").selectOption("monokai");
  const theme = (person) => person.page.locator("html").getAttribute("data-theme");
  assert.deepEqual([await theme(ada), await theme(ben)], ["monokai", "daylight"]);
  await ada.page.reload();
  await ada.reaches("online");
  assert.equal(await theme(ada), "monokai");
  await leave(ada, ben);
});

test("every language that can be chosen is there", async () => {
  const ada = await enter("languages", "Ada");
  const all = await ada.page.locator("select[name=language] option").evaluateAll((options) => options.map((option) => option.value));
  assert.ok(20 < all.length, `${all.length} languages`);
  for (const id of all) {
    await ada.language(id);
    await ada.page.waitForLoadState("networkidle");
  }
  await leave(ada);
});

test("a file becomes the text and the text a file, and what is no text is refused", async () => {
  const ada = await enter("files", "Ada");
  const upload = async (name, bytes) => {
    const chooser = ada.page.waitForEvent("filechooser");
    await ada.page.getByRole("button", { name: "Upload" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });
  };
  await ada.type("old text");
  await upload("picture.png", [0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0xff]);
  await ada.page.getByText("picture.png is not text.").waitFor();
  await upload("long.txt", "x".repeat(600 * 1024));
  await ada.page.getByText("long.txt is too large").waitFor();
  await upload("sum.py", "print(\r\n  'größe'\r\n)\n");
  await agree([ada], ["größe"]);
  assert.equal(await ada.page.locator("select[name=language]").inputValue(), "python");
  const download = ada.page.waitForEvent("download");
  await ada.page.getByRole("button", { name: "Download" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "files.py");
  assert.equal(await readFile(await saved.path(), "utf8"), "print(\n  'größe'\n)\n");
  await ada.page.getByRole("button", { name: "Undo" }).click();
  await agree([ada], ["old text"]);
  await leave(ada);
});

test("somebody who speaks the original's Socket.IO alone is seen, and writes into the same text", async () => {
  const ada = await enter("mixed", "Ada");
  await ada.type("from the page");
  const otto = io(server.url("/"), { transports: ["websocket"], forceNew: true, reconnection: false });
  let text = "";
  otto.on("code-change", ({ code }) => (text = code));
  otto.emit("join", { roomId: "mixed", username: "Otto" });
  await ada.page.locator(".people").getByText("Otto").waitFor();
  await until("Otto has the text", () => text === "from the page" || text);
  otto.emit("code-change", { roomId: "mixed", code: "from the page and from Otto" });
  await agree([ada], ["from the page and from Otto"]);
  await ada.page.keyboard.press("Control+End");
  await ada.type("!");
  await until("Otto has the new text", () => text === "from the page and from Otto!" || text);
  otto.disconnect();
  await ada.page.getByText("Otto left.").waitFor();
  await leave(ada);
});

test("one person too many is told that the room is full", async () => {
  const inside = await Promise.all(["Ada", "Ben", "Cleo"].map((name) => enter("full", name)));
  const late = await Person.open(browser, server.url("/editor/full"), { name: "Dev" });
  await late.page.getByRole("heading", { name: "This room is full" }).waitFor();
  await late.page.getByRole("link", { name: "Start another room" }).click();
  await late.reaches("online");
  await leave(late, ...inside);
});

test("at the width of a phone nothing is wider than the screen, and everything can be reached", async () => {
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  const fits = async (person, where) =>
    assert.equal(await person.page.evaluate(() => document.documentElement.scrollWidth), 360, `${where} is wider than the screen`);
  const home = await Person.open(browser, server.url("/"), phone);
  await fits(home, "the start page");
  await leave(home);
  const room = `a-room-${"with-a-long-name-".repeat(5)}`;
  const [ada, ben] = await Promise.all([enter(room, "Ada of the very long name indeed", phone), enter(room, "Ben")]);
  await ben.type(`let wide = "${"x".repeat(200)}";`, 0);
  await ada.page.locator(".remote-caret").waitFor();
  await fits(ada, "the room");
  await ada.page.getByRole("button", { name: "Run" }).tap();
  await ada.page.locator(".output").waitFor();
  await fits(ada, "the output");
  await ada.page.getByRole("button", { name: "People and tools" }).tap();
  await ada.page.getByRole("button", { name: "Leave" }).waitFor();
  await fits(ada, "the drawer");
  await ada.page.getByRole("button", { name: "Leave" }).tap();
  await ada.page.getByText("Recent rooms").waitFor();
  await fits(ada, "the start page with rooms");
  await leave(ada, ben);
});
