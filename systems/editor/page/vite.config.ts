import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** A reference to a source map. The maps are not served. */
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*\n?/m;

/** Puts each font's licence into the build. */
const fontLicences = (): Plugin => ({
  name: "font-licences",
  generateBundle() {
    for (const font of ["figtree", "jetbrains-mono"]) {
      const source = readFileSync(new URL(`node_modules/@fontsource-variable/${font}/LICENSE`, import.meta.url), "utf8");
      this.emitFile({ type: "asset", fileName: `licences/${font}.txt`, source });
    }
  },
});

/** The official client bundles, under the names that the official server uses for pages with a `script` element. */
const BUNDLES = { "socket.io.js": "socket.io.min.js", "socket.io.min.js": "socket.io.min.js", "socket.io.esm.min.js": "socket.io.esm.min.js" };

const clientBundles = (): Plugin => ({
  name: "client-bundles",
  generateBundle() {
    for (const [name, bundle] of Object.entries(BUNDLES)) {
      const source = readFileSync(new URL(`node_modules/socket.io-client/dist/${bundle}`, import.meta.url), "utf8");
      this.emitFile({ type: "asset", fileName: `socket.io/${name}`, source: source.replace(SOURCE_MAP, "") });
    }
  },
});

/** Names chunks. The files of grammar packages are all called `index.js`, so their package name is used. */
function chunkName({ facadeModuleId, name }: { facadeModuleId: string | null; name: string }): string {
  const grammar = /node_modules\/@codemirror\/(lang-[a-z]+)\//.exec(facadeModuleId ?? "")?.[1];
  return `assets/${grammar ?? name}-[hash].js`;
}

// Assets are not inlined, because the page's policy allows scripts, fonts and images only from its own host.
export default defineConfig({
  plugins: [fontLicences(), clientBundles()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licences/packages.md" },
    rolldownOptions: { output: { chunkFileNames: chunkName } },
  },
});
