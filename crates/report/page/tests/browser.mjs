// A real Chromium, and what every page is checked for.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after } from "node:test";
import { launch } from "../chromium.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Opens a browser for a test file. */
export async function openBrowser() {
  const browser = await launch();
  after(() => browser.close());
  return browser;
}

/** Opens a page without an address. Collects errors of the page, and requests that `allowed` refuses. */
export async function newPage(browser, { width, height = 800, colorScheme, allowed }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => allowed(request.url()) || complaints.push(`asks for ${request.url()}`));
  return { page, complaints, end: () => context.close() };
}

export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** axe is evaluated by the browser's debugger, which the page's policy does not bind. */
export async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}
