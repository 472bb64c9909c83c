// Takes a screenshot of the first screen of a report, in light colours: `node screenshot.mjs REPORT.html PICTURE.webp`.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../../crates/report/page/chromium.mjs";

/** Largest picture in bytes. A reader of the README loads it each time. */
const MOST = 150_000;
const QUALITY = 0.86;
const SIZE = { width: 1280, height: 800 };

const [report, picture] = process.argv.slice(2);
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light", deviceScaleFactor: 1.5, reducedMotion: "reduce" });
  await page.goto(pathToFileURL(path.resolve(report)).href);
  await page.locator("#charts svg").first().waitFor();
  const png = (await page.screenshot()).toString("base64");
  // The browser itself compresses the picture. A blank page has no policy that forbids it.
  const blank = await browser.newPage();
  const webp = await blank.evaluate(async ([png, quality]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
  }, [png, QUALITY]);
  const bytes = Buffer.from(webp, "base64");
  assert.ok(bytes.length < MOST, `the picture has ${bytes.length} bytes`);
  await writeFile(picture, bytes);
  console.log(`${picture}: ${bytes.length} bytes`);
} finally {
  await browser.close();
}
