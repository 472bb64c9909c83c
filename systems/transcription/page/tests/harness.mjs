// The service, a browser whose microphone plays a file, and its users. TRANSCRIPTION_COMMAND names the service (a JSON
// list of words), and SPEECH a WAV file.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { chromium } from "playwright-core";

/** Long enough for a busy machine. */
export const PATIENCE = 30_000;
export const SPEECH = process.env.SPEECH;
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The service as a separate process. */
export class Service {
  #child;
  #flags;
  port = 0;

  static async start(...flags) {
    const service = new Service();
    service.#flags = flags;
    await service.startAgain();
    after(() => service.kill());
    return service;
  }

  /** Starts the service again on its old port. */
  async startAgain() {
    assert.ok(process.env.TRANSCRIPTION_COMMAND, "TRANSCRIPTION_COMMAND must name the service, such as [\"target/debug/headcount-transcription\"]");
    const [program, ...words] = JSON.parse(process.env.TRANSCRIPTION_COMMAND);
    const flags = ["--log", "error", "--listen", `127.0.0.1:${this.port}`, ...this.#flags];
    this.#child = spawn(program, [...words, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface(this.#child.stdout), "line");
    this.port = Number(/:(\d+)\D*$/.exec(line)?.[1]);
    assert.ok(this.port, `the service did not say its port but ${line}`);
  }

  /** Kills the service without a graceful stop. */
  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }
}

/** Opens one browser for a test file. Its microphone plays the speech again and again. */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((one) => existsSync(one));
  assert.ok(executablePath, "there is no Chromium: install the package `chromium`, or name one in CHROMIUM");
  assert.ok(SPEECH, "SPEECH must name a WAV file");
  const microphone = ["--use-fake-device-for-media-stream", `--use-file-for-fake-audio-capture=${SPEECH}`];
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...microphone] });
  after(() => browser.close());
  return browser;
}

/** A user with a page. Errors of the page (a policy violation, an exception) fail the test when the user leaves. */
export class Person {
  static async open(browser, service, { allowed = true, ...rest } = {}) {
    const context = await browser.newContext({ reducedMotion: "reduce", ...rest });
    context.setDefaultTimeout(PATIENCE);
    if (allowed) await context.grantPermissions(["microphone", "clipboard-read", "clipboard-write"]);
    const person = new Person();
    person.context = context;
    person.page = await context.newPage();
    person.complaints = [];
    person.page.on("pageerror", (error) => person.complaints.push(String(error)));
    person.page.on("console", (message) => {
      // The browser reports lost connections as errors, but a test causes them on purpose.
      if (message.type() === "error" && !/WebSocket|net::ERR/.test(message.text())) person.complaints.push(message.text());
    });
    await person.page.goto(service.url);
    return person;
  }

  press(name) {
    return this.page.getByRole("button", { name }).click();
  }

  /** Waits until the page shows this state of the connection. */
  async reaches(phase) {
    await this.page.locator(`#phase[data-phase="${phase}"]`).waitFor();
  }

  /** The state of the connection that the page shows now. */
  phase() {
    return this.page.locator("#phase").getAttribute("data-phase");
  }

  /** Waits for words that are not final. */
  async sees(selector) {
    await this.page.locator(selector).filter({ hasText: /\w/ }).first().waitFor();
  }

  text() {
    return this.page.locator("#transcript").innerText();
  }

  /** What axe finds. It is evaluated by the browser's debugger, which the page's policy does not bind. */
  async violations() {
    await this.page.evaluate(axe);
    const found = await this.page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  }

  async leave() {
    await this.context.close();
    assert.deepEqual(this.complaints, [], "the page complained");
  }
}
