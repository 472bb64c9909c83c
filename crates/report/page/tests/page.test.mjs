// Every kind of page in a real browser: no error, nothing that the policy refuses, no sideways scrolling, and nothing
// that axe finds. PAGES names the folder of the pages.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { newPage, openBrowser, overflow, violations } from "./browser.mjs";

assert.ok(process.env.PAGES, "PAGES must name the folder of the pages");
const browser = await openBrowser();
const pages = (await readdir(process.env.PAGES)).filter((name) => name.endsWith(".html"));
assert.ok(pages.length > 0, "there are no pages");

async function open(name, width, colorScheme, height) {
  const opened = await newPage(browser, { width, height, colorScheme, allowed: (url) => url.startsWith("file:") });
  await opened.page.goto(pathToFileURL(path.join(process.env.PAGES, name)).href);
  return opened;
}

/** Opens all sections, and the table of each chart. */
async function openAll(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
  for (const button of await page.getByRole("button", { name: /^Table/ }).all()) await button.click();
}

for (const name of pages) {
  test(`${name} opens on phone, laptop and wall, light and dark`, async () => {
    for (const [width, scheme] of [[390, "dark"], [1280, "light"], [2560, "dark"]]) {
      const { page, complaints, end } = await open(name, width, scheme);
      assert.ok((await overflow(page)) <= 0, `${width} px: the page scrolls sideways`);
      if (width !== 2560) assert.deepEqual(await violations(page), [], `${width} px, ${scheme}`);
      if (width !== 1280) {
        await openAll(page);
        assert.ok((await overflow(page)) <= 0, `${width} px: the page scrolls sideways with all tables`);
      }
      assert.deepEqual(complaints, [], `${width} px, ${scheme}`);
      await end();
    }
  });
}

for (const name of pages.filter((name) => !["hostile.html", "markdown.html"].includes(name))) {
  test(`${name}: the verdict and all facts are visible without scrolling`, async () => {
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      const { page, end } = await open(name, width, "light", height);
      const bottoms = await page.locator(".verdict, .fact").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
      assert.equal(bottoms.length, 5, `${width} px: the verdict and four facts`);
      assert.ok(Math.max(...bottoms) <= height, `${width} px: the facts end at ${Math.max(...bottoms)} px`);
      await end();
    }
  });
}

test("a level that is chosen by keys is read out in every chart", async () => {
  const { page, complaints, end } = await open("healthy.html", 1280, "light");
  await page.locator("#latency .plot").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  for (const chart of ["latency", "time", "fates", "distribution"]) {
    await page.locator(`#${chart} .read`, { hasText: "200 users" }).waitFor({ timeout: 5000 });
  }
  assert.equal(await page.locator("#latency .sel.on").getAttribute("data-level"), "1");
  assert.deepEqual(complaints, []);
  await end();
});

test("tables are sorted by their figures and filtered by words", async () => {
  const { page, complaints, end } = await open("crowded.html", 1280, "light");
  await openAll(page);
  const box = page.locator("#section-thresholds");
  const rows = box.locator("tbody tr:visible");
  const all = await rows.count();
  await box.getByRole("searchbox").fill("p95 broken");
  assert.ok((await rows.count()) < all && (await rows.count()) > 0);
  const levels = page.locator("#section-levels");
  await levels.getByRole("button", { name: "users" }).click();
  const users = await levels.locator("tbody tr td:first-child").allTextContents();
  const numbers = users.map((text) => Number(text.replaceAll(",", "")));
  assert.deepEqual(numbers, numbers.toSorted((a, b) => b - a));
  assert.deepEqual(complaints, []);
  await end();
});

test("dragging over the time axis zooms, and a double click shows the whole run", async () => {
  const { page, complaints, end } = await open("healthy.html", 1280, "light");
  const plot = page.locator("#time .plot");
  await plot.scrollIntoViewIfNeeded();
  const label = () => plot.locator("svg").getAttribute("aria-label");
  const whole = await label();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 300, box.y + 120);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 120, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await label(), whole);
  await plot.dblclick({ position: { x: 400, y: 120 } });
  assert.equal(await label(), whole);
  assert.deepEqual(complaints, []);
  await end();
});

test("the heat map over time has one path for each shade, however long the run is", async () => {
  for (const name of ["healthy.html", "twenty-levels.html", "ten-hours.html"]) {
    const { page, complaints, end } = await open(name, 1280, "light");
    const levels = await page.locator("#time .hit").count();
    const paths = await page.locator("#time .plot path[fill-opacity][shape-rendering]").count();
    assert.ok(paths > 0 && paths <= 12 * levels, `${name}: ${paths} paths in ${levels} levels`);
    assert.deepEqual(complaints, []);
    await end();
  }
});

test("text of the target does not become markup", async () => {
  const { page, complaints, end } = await open("hostile.html", 1280, "light");
  await openAll(page);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("script").count(), 2);
  assert.deepEqual(complaints, []);
  await end();
});
