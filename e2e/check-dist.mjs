// Checks whether `dist`, which a binary embeds, matches the sources of the page in the current folder. Run `npm ci` there
// before. The arguments are the modes of the build.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const [, , ...modes] = process.argv;
const fresh = await mkdtemp(path.join(tmpdir(), "headcount-dist-"));
try {
  for (const mode of modes) build(mode);
  const wrong = await differences("dist", fresh);
  for (const line of wrong) console.error(line);
  if (wrong.length !== 0) console.error("dist is not what the sources build: run `npm ci && npm run build` and commit it");
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await rm(fresh, { recursive: true });
}

function build(mode) {
  const words = ["build", "--mode", mode, "--logLevel", "error", "--outDir", fresh, "--emptyOutDir", "false"];
  const built = spawnSync("node_modules/.bin/vite", words, { stdio: "inherit" });
  if (built.status !== 0) throw new Error(`vite cannot build the page: ${built.error ?? `exit code ${built.status}`}`);
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
