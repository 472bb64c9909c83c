import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The maps are not there. */
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*\n?/m;

/** The licence of a font is to lie beside it. */
const fontLicences = (): Plugin => ({
  name: "font-licences",
  generateBundle() {
    for (const font of ["figtree", "jetbrains-mono"]) {
      const source = readFileSync(new URL(`node_modules/@fontsource-variable/${font}/LICENSE`, import.meta.url), "utf8");
      this.emitFile({ type: "asset", fileName: `licences/${font}.txt`, source });
    }
  },
});

/** The client's official bundles, by the names under which the official server has them for pages that load one by a `script`. */
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

/** Grammars are packages whose file is called `index.js`: the package says more. */
function chunkName({ facadeModuleId, name }: { facadeModuleId: string | null; name: string }): string {
  const grammar = /node_modules\/@codemirror\/(lang-[a-z]+)\//.exec(facadeModuleId ?? "")?.[1];
  return `assets/${grammar ?? name}-[hash].js`;
}

// No inlined assets: the page's policy allows scripts, fonts and pictures from its own host alone.
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
