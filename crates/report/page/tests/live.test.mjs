// The live page after ten hours, with the updates that its server would send. PAGES names the folder with live.html, and
// updates.json: everything so far, then second by second.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { newPage, openBrowser, overflow, violations } from "./browser.mjs";

assert.ok(process.env.PAGES, "PAGES must name the folder of the page");
const html = await readFile(path.join(process.env.PAGES, "live.html"), "utf8");
const updates = JSON.parse(await readFile(path.join(process.env.PAGES, "updates.json"), "utf8"));
const browser = await openBrowser();
const URL = "http://127.0.0.1:9/token/";
/** Longest update in milliseconds. The goal is 50 ms on an idle machine; this one may be busy. */
const LIMIT = 200;

/** Opens the page before a server that sends the next update when `next` is called. */
async function open(width, colorScheme) {
  const opened = await newPage(browser, { width, colorScheme, allowed: (url) => url.startsWith(URL) });
  let [sent, waiting, asked] = [0, null, null];
  await opened.page.route(`${URL}**`, (route) => {
    const { pathname } = new globalThis.URL(route.request().url());
    if (pathname === "/token/") return route.fulfill({ contentType: "text/html", body: html });
    waiting = route;
    asked?.();
  });
  const next = async () => {
    while (waiting === null) await new Promise((resolve) => (asked = resolve));
    const [route, body] = [waiting, JSON.stringify(updates[sent++])];
    waiting = null;
    await route.fulfill({ contentType: "application/json", body });
  };
  await opened.page.goto(URL);
  return { ...opened, next };
}

test("the page of a long run opens on phone, laptop and wall, light and dark", async () => {
  for (const [width, scheme] of [[390, "dark"], [1280, "light"], [2560, "dark"]]) {
    const { page, complaints, next, end } = await open(width, scheme);
    assert.deepEqual(await violations(page), [], `${width} px, before any update`);
    await next();
    await page.locator("#time .plot svg").waitFor();
    assert.match(await page.locator("#state h1").textContent(), /^Level 3 of 3: /);
    assert.equal(await page.locator("#warnings li").textContent(), "a threshold <b>will</b> have too few samples");
    assert.match(await page.locator("#merged").textContent(), /up to 32 s/);
    for (const tile of ["Lost deliveries", "Target CPU"]) assert.ok(await page.locator("#tiles h2", { hasText: tile }).isVisible(), tile);
    assert.match(await page.locator("#time .plot svg").getAttribute("aria-label"), /cpu of the target/);
    assert.equal(await page.locator("#section-levels tbody tr").count(), 2);
    assert.ok((await overflow(page)) <= 0, `${width} px: the page scrolls sideways`);
    assert.deepEqual(await violations(page), [], `${width} px, ${scheme}`);
    await page.getByRole("button", { name: "End the run" }).click();
    assert.ok(await page.locator("dialog").isVisible());
    assert.deepEqual(await violations(page), [], `${width} px, ${scheme}, with the question`);
    await page.getByRole("button", { name: "Continue the run" }).click();
    await page.getByRole("button", { name: /^Table: Second/ }).click();
    assert.ok((await overflow(page)) <= 0, `${width} px: the page scrolls sideways with the table`);
    assert.deepEqual(complaints, [], `${width} px, ${scheme}`);
    await end();
  }
});

test("an update after ten hours takes a fraction of a second, and the end of the run is shown", async () => {
  const { page, complaints, next, end } = await open(1280, "light");
  await next();
  await page.locator("#time .plot svg").waitFor();
  const debug = await page.context().newCDPSession(page);
  await debug.send("Performance.enable", { timeDomain: "threadTicks" }); // the time of the page, without that of other processes
  const busy = async () => (await debug.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const drawn = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const took = [];
  for (let number = 1; number < updates.length - 1; number++) {
    const before = await busy();
    const shown = page.waitForResponse(/updates/);
    await next();
    await shown;
    await drawn();
    took.push((await busy()) - before);
  }
  took.sort((one, other) => one - other);
  const [median, longest] = [took[took.length >> 1], took.at(-1)];
  console.log(`updates after ten hours: median ${median.toFixed(1)} ms, longest ${longest.toFixed(1)} ms, ${took.length} updates`);
  assert.ok(median < LIMIT, `the median update took ${median} ms`);
  const points = await page.locator("#time .plot svg path").first().getAttribute("d");
  assert.ok(points.length < 100_000, "the chart grows without limit");

  await next();
  await page.locator("#state .verdict h1 em").waitFor();
  assert.match(await page.locator("#state").textContent(), /The report is saved: run\/report\.html/);
  assert.ok(await page.getByRole("button", { name: "End the run" }).isHidden());
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
  await end();
});

test("keys and the table work while the page is updated", async () => {
  const { page, complaints, next, end } = await open(1280, "light");
  await next();
  await page.locator("#time .plot svg").waitFor();
  await page.locator("#time .plot").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#time .read", { hasText: "25/s" }).waitFor({ timeout: 5000 });
  await next();
  await next();
  assert.equal(await page.evaluate(() => document.activeElement.closest(".card")?.id), "time");
  await page.keyboard.press("ArrowRight");
  await page.locator("#latency .read", { hasText: "50/s" }).waitFor({ timeout: 5000 });
  assert.deepEqual(complaints, []);
  await end();
});
