// A server, a browser and its users. EDITOR_COMMAND names the server (a JSON list of words); it uses a free port.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { chromium } from "playwright-core";

/** Long enough for a busy machine. */
export const PATIENCE = 30_000;
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The editor in a separate process, with a folder for its data. */
export class Server {
  #folder;
  #child;
  #flags;
  port = 0;

  static async start(flags = []) {
    const server = new Server();
    server.#flags = flags;
    server.#folder = await mkdtemp(path.join(tmpdir(), "editor-page-"));
    await server.startAgain();
    after(() => server.end());
    return server;
  }

  /** Starts the server again with its old port and data. */
  async startAgain() {
    assert.ok(process.env.EDITOR_COMMAND, "EDITOR_COMMAND must name the editor, such as [\"target/debug/headcount-editor\"]");
    const [program, ...words] = JSON.parse(process.env.EDITOR_COMMAND);
    const store = `sqlite:${path.join(this.#folder, "editor.db")}`;
    const flags = ["--log", "warn", "--listen", `127.0.0.1:${this.port}`, "--store", store, ...this.#flags];
    this.#child = spawn(program, [...words, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface(this.#child.stdout), "line");
    this.port = Number(/:(\d+)\D*$/.exec(line)?.[1]);
    assert.ok(this.port, `the editor did not say its port but ${line}`);
  }

  /** Kills the server without a graceful stop. */
  async kill() {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async end() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  url(at) {
    return `http://127.0.0.1:${this.port}${at}`;
  }
}

/** Opens one browser for a test file. Each person gets a context, which is a separate profile. */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((one) => existsSync(one));
  assert.ok(executablePath, "there is no Chromium: install the package `chromium`, or name one in CHROMIUM");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  after(() => browser.close());
  return browser;
}

/** A user with a page. Errors of the page (a policy violation, an exception) fail the test when it closes the page. */
export class Person {
  static async open(browser, address, { name = "", viewport = { width: 1100, height: 700 }, ...rest } = {}) {
    const context = await browser.newContext({ viewport, reducedMotion: "reduce", acceptDownloads: true, ...rest });
    context.setDefaultTimeout(PATIENCE);
    if (name !== "") await context.addInitScript((said) => localStorage.setItem("headcount-editor:name", said), name);
    const person = new Person();
    person.context = context;
    person.page = await context.newPage();
    person.complaints = [];
    person.page.on("pageerror", (error) => person.complaints.push(String(error)));
    person.page.on("console", (message) => {
      // The browser reports lost connections as errors, but the tests cause them on purpose.
      if (message.type() === "error" && !/WebSocket|net::ERR/.test(message.text())) person.complaints.push(message.text());
    });
    await person.page.goto(address);
    return person;
  }

  /** Opens a room, and waits until its text has arrived. */
  static async enter(browser, server, room, options) {
    const person = await Person.open(browser, server.url(`/editor/${room}`), options);
    await person.reaches("online");
    return person;
  }

  /** Waits until the page shows this connection state. */
  async reaches(phase) {
    await this.page.locator(`.pill[data-phase="${phase}"]`).waitFor();
  }

  async type(words, delay = 15) {
    await this.page.locator(".cm-content").focus();
    await this.page.keyboard.type(words, { delay });
  }

  /** Moves to the end of the text, and starts a new line. */
  async newLine() {
    await this.page.locator(".cm-content").focus();
    await this.page.keyboard.press("Control+End");
    await this.page.keyboard.press("Enter");
  }

  /** The text as shown on the screen. */
  text() {
    return this.page.locator(".cm-line").evaluateAll((lines) =>
      lines.map((line) => (line.querySelector(".cm-placeholder") === null ? line.textContent : "")).join("\n"));
  }

  async language(id) {
    await this.page.locator("select[name=language]").selectOption(id);
  }

  async leave() {
    await this.context.close();
    assert.deepEqual(this.complaints, [], "the page complained");
  }
}

/** Polls until `look` returns true. */
export async function until(what, look) {
  const begun = Date.now();
  let last;
  while (Date.now() - begun < PATIENCE) {
    last = await look();
    if (last === true) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`${what}: not so after ${PATIENCE / 1000} s; last seen: ${JSON.stringify(last)}`);
}

/** Waits until all see the same text with each of these words exactly once. Returns the text. */
export async function agree(people, words) {
  await until(`everybody sees one text with ${words.join(", ")}`, async () => {
    const texts = await Promise.all(people.map((person) => person.text()));
    const whole = texts.every((text) => text === texts[0]) && words.every((word) => texts[0].split(word).length === 2);
    return whole || texts;
  });
  return people[0].text();
}
