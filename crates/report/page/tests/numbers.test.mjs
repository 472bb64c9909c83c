// Numbers, scales and the order of table cells. Expected values are worked out by hand.
import assert from "node:assert/strict";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "vite";

const root = new URL("..", import.meta.url).pathname;
const folder = await mkdtemp(path.join(tmpdir(), "report-page-"));
after(() => rm(folder, { recursive: true }));

/** Compiles a file of the page and loads it. */
async function load(name) {
  const entry = path.join(root, "src", name);
  await build({ root, configFile: false, logLevel: "error", build: { outDir: folder, emptyOutDir: false, target: "es2023", lib: { entry, formats: ["es"], fileName: () => `${name.replaceAll("/", "-")}.mjs` } } });
  const file = path.join(folder, `${name.replaceAll("/", "-")}.mjs`);
  assert.ok((await readFile(file)).length > 0);
  return import(pathToFileURL(file).href);
}

test("figures have three significant digits, as in the other reports", async () => {
  const { millis, significant, clock } = await load("format.ts");
  const given = [0.0004, 0.85, 1.234, 12.34, 123.4, 999.4, 1500, 61_000, null];
  assert.deepEqual(given.map(millis), ["0.40 µs", "850 µs", "1.23 ms", "12.3 ms", "123 ms", "999 ms", "1.50 s", "61.0 s", "n/a"]);
  assert.deepEqual([0, 0.012, 1, 9.996, 99.96, 12_345].map(significant), ["0", "0.012", "1.00", "10.0", "100", "12,345"]);
  assert.deepEqual([clock(45, 60), clock(750, 1000), clock(7500, 9000)], ["45 s", "12:30", "2:05:00"]);
});

test("axes have round values", async () => {
  const { ticks, decades, times, logRange } = await load("scale.ts");
  assert.deepEqual(ticks(340, 4), [0, 100, 200, 300]);
  assert.deepEqual(ticks(0, 4), [0]);
  assert.deepEqual(decades(0.5, 200), [1, 10, 100]);
  assert.deepEqual(times(0, 60, 7), [0, 10, 20, 30, 40, 50, 60]);
  assert.deepEqual(logRange([]), [1, 1000]);
});

test("a row of the heat map begins where a record's row does", async () => {
  const { rowStart } = await load("data.ts");
  const starts = [0, 1, 7, 8, 9, 11, 12, 80].map((row) => rowStart(row) * 1e6);
  assert.deepEqual(starts.map(Math.round), [0, 8, 56, 64, 80, 112, 128, 4 * 2 ** 22]);
});

test("merged columns of the heat map end with their level", async () => {
  const { latencyOverTime } = await load("marks/latency_over_time.ts");
  /** The left and right edges of the cells, at 0.8 pixels per second. Columns narrower than 2 pixels are merged. */
  const edges = (width_s, columns, seconds) => {
    const start_s = Array.from({ length: seconds }, (_, second) => second);
    const none = start_s.map(() => null);
    const series = { start_s, p50_ms: none, p95_ms: none, p99_ms: none };
    const heat = { width_s, columns: Array.from({ length: columns }, () => [0, [[40, 1]]]) };
    const panel = latencyOverTime({ limits: [], levels: [{ started_s: 10, series, heat }] });
    const drawn = panel.draw({ top: 0, bottom: 100, left: 0, right: 400, x: (second) => second * 0.8 });
    return [...drawn.matchAll(/M([\d.]+) [\d.]+H([\d.]+)V/g)].map(([, from, to]) => [from, to]);
  };
  // Three columns of 1 s are merged. The fourth one is alone.
  assert.deepEqual(edges(1, 4, 4), [["8.0", "10.4"], ["10.4", "11.2"]]);
  // Two columns of 2 s are merged. The third one is alone, and the level ends within it.
  assert.deepEqual(edges(2, 3, 5), [["8.0", "11.2"], ["11.2", "12.0"]]);
});

test("many windows keep their peaks, and a missing one breaks the line", async () => {
  const { stepPath } = await load("decimate.ts");
  const same = (value) => value;
  assert.equal(stepPath([[0, 1, 5], [1, 2, null], [2, 3, 7]], same, same), "M0.0 5.0H1.0M2.0 7.0H3.0");
  const many = Array.from({ length: 1000 }, (_, index) => [index, index + 1, index === 512 ? 99 : 1]);
  const path = stepPath(many, (value) => value / 100, same);
  assert.match(path, /V99\.0/);
  assert.ok(path.length < 400, path);
});

test("cells are sorted by their quantity", async () => {
  const { sortKey } = await load("page/sort_key.ts");
  const cells = ["–", "n/a (120 of 200 samples)", "850 µs", "1.23 ms (1.1–1.3)", "> 15 s", "1 min 30 s"];
  const keys = cells.map(sortKey);
  assert.deepEqual(keys, keys.toSorted((a, b) => a - b));
  assert.equal(sortKey("1,234 (5.0 %)"), 1234);
  assert.equal(sortKey("GET /items"), "GET /items");
});

test("a cell cannot become a formula", async () => {
  const { csv } = await load("page/csv.ts");
  const figures = { titles: ["level", "p95 ms"], rows: [["=1+1", -2], ['a "b", c', null]] };
  assert.equal(csv(figures), 'level,p95_ms\n\'=1+1,-2\n"a ""b"", c",\n');
});
