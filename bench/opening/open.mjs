// Prints the times, in milliseconds, from opening a page to its drawn charts: `node open.mjs PAGE.html WIDTH`. The
// browser is started before, and each page has a new context.
import { pathToFileURL } from "node:url";
import { launch } from "../../crates/report/page/chromium.mjs";

const [file, width] = process.argv.slice(2);
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width: Number(width), height: 800 } });
  const tab = await context.newPage();
  const begun = performance.now();
  await tab.goto(pathToFileURL(file).href, { waitUntil: "load" });
  // The charts are drawn, and two frames have passed, so the first screen is visible.
  await tab.waitForSelector("#charts svg");
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  console.log(JSON.stringify({ ms: performance.now() - begun, charts: await tab.locator("#charts svg").count() }));
} finally {
  await browser.close();
}
