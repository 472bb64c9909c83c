// Checks whether `dist`, which the service's binary embeds, matches these sources. Run `npm ci` before.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = path.dirname(fileURLToPath(import.meta.url));
const fresh = await mkdtemp(path.join(tmpdir(), "transcription-page-"));
try {
  await build({ root: here, logLevel: "error", build: { outDir: fresh, emptyOutDir: true } });
  const wrong = await differences(path.join(here, "dist"), fresh);
  for (const line of wrong) console.error(line);
  if (wrong.length !== 0) console.error("dist is not what the sources build: run `npm ci && npm run build` and commit it");
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await rm(fresh, { recursive: true });
}

async function differences(committed, built) {
  const [ours, theirs] = await Promise.all([committed, built].map(files));
  const wrong = [];
  for (const name of new Set([...ours, ...theirs])) {
    if (!ours.includes(name)) wrong.push(`missing in dist: ${name}`);
    else if (!theirs.includes(name)) wrong.push(`left over in dist: ${name}`);
    else if (!(await readFile(path.join(committed, name))).equals(await readFile(path.join(built, name)))) wrong.push(`differs: ${name}`);
  }
  return wrong;
}

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
