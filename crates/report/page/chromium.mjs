// Starts the Chromium of this machine, for the tests of the page, its benchmark and the picture of the README.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function launch() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((one) => existsSync(one));
  assert.ok(executablePath, "there is no Chromium: install the package `chromium`, or name one in CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
