// A run in progress, followed in a browser and ended by its button. LIVE_URL is its address. The end-to-end tests of
// headcount start the run, and check what it has saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage, openBrowser, overflow, violations } from "./browser.mjs";

const URL = process.env.LIVE_URL;
assert.ok(URL, "LIVE_URL must name the page of a run");
const browser = await openBrowser();
const PATIENCE = 20_000;

async function open(width, colorScheme) {
  const opened = await newPage(browser, { width, colorScheme, allowed: (url) => url.startsWith(URL) });
  opened.page.setDefaultTimeout(PATIENCE);
  await opened.page.goto(URL);
  await opened.page.locator("#time .plot svg").waitFor();
  return opened;
}

/** The seconds that the chart spans. */
const spanOf = async (page) => Number(/over (\d+) seconds/.exec(await page.locator("#time .plot svg").first().getAttribute("aria-label"))[1]);

async function grows(page) {
  const before = await spanOf(page);
  const deadline = Date.now() + PATIENCE;
  while ((await spanOf(page)) <= before) {
    assert.ok(Date.now() < deadline, `the chart stays at ${before} s`);
    await page.waitForTimeout(50);
  }
}

test("the page opens on phone, laptop and wall, and its chart grows", async () => {
  for (const [width, scheme] of [[390, "dark"], [1280, "light"], [2560, "light"]]) {
    const { page, complaints, end } = await open(width, scheme);
    await grows(page);
    assert.match(await page.locator("#state h1").textContent(), /^Level 1 of 3: 2 users$/);
    assert.match(await page.locator("#state-detail").textContent(), /left in this level/);
    assert.ok((await overflow(page)) <= 0, `${width} px: the page scrolls sideways`);
    assert.deepEqual(await violations(page), [], `${width} px, ${scheme}`);
    assert.deepEqual(complaints, [], `${width} px, ${scheme}`);
    await end();
  }
});

test("the page survives a reload and a lost connection, and its button ends the run", async () => {
  const { page, complaints, end } = await open(1280, "dark");
  await grows(page);
  await page.locator("#tiles h2", { hasText: "Target CPU" }).waitFor();
  const before = await spanOf(page);
  await page.reload();
  await page.locator("#time .plot svg").waitFor();
  assert.ok((await spanOf(page)) >= before, "the reload lost seconds");
  await grows(page);
  assert.deepEqual(complaints, []);

  await page.context().setOffline(true);
  await page.locator("#connection", { hasText: "does not respond" }).waitFor();
  const lost = await spanOf(page);
  await page.context().setOffline(false);
  await page.waitForFunction(() => document.getElementById("connection").textContent === "");
  await grows(page);
  assert.ok((await spanOf(page)) > lost);
  // The browser reports the lost connection itself.
  assert.deepEqual(complaints.filter((text) => !text.includes("net::ERR")), []);
  complaints.length = 0;

  await page.getByRole("button", { name: "End the run" }).click();
  await page.keyboard.press("Escape");
  assert.ok(await page.locator("dialog").isHidden(), "Escape continues the run");
  await grows(page);
  await page.getByRole("button", { name: "End the run" }).click();
  await page.locator("dialog").getByRole("button", { name: "End the run" }).click();
  await page.locator("#state h1 em", { hasText: "Interrupted" }).waitFor();
  await page.locator("#state", { hasText: "The report is saved: run/report.html" }).waitFor();
  assert.equal(await page.locator("#section-levels tbody tr").count(), 1);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
  await end();
});
