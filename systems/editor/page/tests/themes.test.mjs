// Text is readable in every theme, with a contrast of at least 4.5 to its background (WCAG 2.2, 1.4.3).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const LEAST = 4.5;
const PAIRS = [
  ["ink", ["ground", "paper", "raised", "selection", "match"]],
  ["soft", ["ground", "paper", "raised"]],
  ["on-accent", ["accent"]],
  ["accent", ["accent-soft"]],
  ["good", ["raised"]],
  ["warn", ["raised", "warn-soft"]],
  ["bad", ["raised", "bad-soft", "paper"]],
];

test("every theme has the contrast that reading needs", async () => {
  const weak = [];
  for (const [theme, colors] of themes(await readFile(new URL("../src/styles/themes.css", import.meta.url), "utf8"))) {
    const syntax = [...colors.keys()].filter((name) => name.startsWith("syn-")).map((name) => [name, ["paper"]]);
    for (const [text, grounds] of [...PAIRS, ...syntax]) {
      for (const ground of grounds) {
        const contrast = ratio(colors.get(text), colors.get(ground));
        if (contrast < LEAST) weak.push(`${theme}: ${text} on ${ground} ${contrast.toFixed(2)}`);
      }
    }
  }
  assert.deepEqual(weak, []);
});

/** Later blocks of a theme override earlier ones. */
function themes(css) {
  const found = new Map();
  for (const [, selectors, body] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    for (const [, theme] of selectors.matchAll(/data-theme="(\w+)"/g)) {
      const base = found.get(theme) ?? new Map(selectors.includes("nightfall") ? [] : found.get("daylight") ?? []);
      for (const [, name, color] of body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)) base.set(name, color);
      found.set(theme, base);
    }
  }
  assert.equal(found.size, 7);
  return found;
}

function ratio(one, other) {
  const [dark, light] = [one, other].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
