import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser, Person, Service, SPEECH } from "./harness.mjs";

const browser = await openBrowser();
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

test("words of the microphone appear while they are spoken and are final after a pause", async () => {
  const service = await Service.start("--engine", "pocketsphinx", "--recognisers", "1");
  const person = await Person.open(browser, service);
  await person.press("Use microphone");
  await person.reaches("live");
  await person.sees("#partial");
  assert.ok(Number(await person.page.locator("#level").evaluate((level) => level.value)) >= 0);
  await person.sees("#transcript p");
  // The recording is played from anywhere, so only the next utterance is whole.
  await person.page.locator("#transcript p").nth(1).waitFor();
  await person.press("Stop");
  await person.reaches("done");
  const text = await person.text();
  assert.match(text, /quick brown fox/);
  await person.press("Copy");
  assert.match(await person.page.evaluate(() => navigator.clipboard.readText()), /quick brown fox/);
  await person.press("Clear");
  assert.equal(await person.text(), "");
  await person.leave();
});

test("a file is transcribed on a phone and its stream ends by itself", async () => {
  const service = await Service.start();
  const person = await Person.open(browser, service, PHONE);
  await person.page.locator("#file").setInputFiles(SPEECH);
  await person.reaches("live");
  await person.reaches("done");
  assert.match(await person.text(), /^0:00\s+\w+/);
  // The last words are final, although no pause followed them.
  assert.equal(await person.page.locator("#partial").innerText(), "");
  const overflow = await person.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(overflow, 0);
  const heights = await person.page.locator("button:visible").evaluateAll((all) => all.map((one) => one.offsetHeight));
  assert.ok(heights.length >= 4 && heights.every((height) => height >= 44), `too small for a finger: ${heights}`);
  await person.leave();
});

test("axe finds nothing in any state, in light and dark, on phones and screens", async () => {
  const service = await Service.start();
  for (const colorScheme of ["light", "dark"]) {
    for (const size of [PHONE, { viewport: { width: 1400, height: 900 } }]) {
      const person = await Person.open(browser, service, { colorScheme, ...size });
      assert.deepEqual(await person.violations(), [], "ready");
      await person.press("Use microphone");
      await person.sees("#transcript p");
      assert.deepEqual(await person.violations(), [], "connected");
      await person.press("Stop");
      await person.reaches("done");
      await person.leave();
    }
  }
});

test("the keyboard alone starts and stops, and the focus stays on the button", async () => {
  const service = await Service.start();
  const person = await Person.open(browser, service);
  await person.page.keyboard.press("Tab");
  await person.page.keyboard.press("Enter");
  await person.reaches("live");
  const focused = () => person.page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), "stop");
  await person.page.keyboard.press("Enter");
  await person.reaches("done");
  assert.equal(await focused(), "microphone");
  await person.leave();
});

test("a second press of Stop ends the session, which then leaves the next recording alone", async () => {
  // The last words of the first session would arrive during the second one.
  const service = await Service.start("--latency-ms", "2000");
  const person = await Person.open(browser, service);
  await person.press("Use microphone");
  await person.sees("#partial");
  await person.page.getByRole("button", { name: "Stop" }).dblclick();
  assert.equal(await person.phase(), "done");
  await person.press("Clear");
  await person.press("Use microphone");
  // The second utterance ends long after those words were due.
  await person.page.locator("#transcript p").nth(1).waitFor();
  assert.equal(await person.phase(), "live");
  await person.press("Stop");
  await person.reaches("done");
  await person.leave();
});

test("a connection that is lost is shown and restored", async () => {
  const service = await Service.start();
  const person = await Person.open(browser, service);
  await person.press("Use microphone");
  await person.sees("#partial");
  await service.kill();
  await person.reaches("reconnecting");
  await service.startAgain();
  await person.reaches("live");
  await person.sees("#transcript p");
  await person.leave();
});

test("refusals of the service and of the browser are named", async () => {
  const service = await Service.start("--max-sessions", "1");
  const [first, second] = [await Person.open(browser, service), await Person.open(browser, service)];
  await first.press("Use microphone");
  await first.reaches("live");
  await second.press("Use microphone");
  await second.reaches("failed");
  assert.equal(await second.page.locator("#problem").innerText(), "Maximum 1 concurrent sessions reached");
  const third = await Person.open(browser, service, { allowed: false });
  await third.press("Use microphone");
  await third.page.getByRole("alert").filter({ hasText: "may not use the microphone" }).waitFor();
  await third.page.locator("#file").setInputFiles({ name: "notes.wav", mimeType: "audio/wav", buffer: Buffer.from("no audio") });
  await third.page.getByRole("alert").filter({ hasText: "notes.wav contains no audio" }).waitFor();
  for (const person of [first, second, third]) await person.leave();
});
