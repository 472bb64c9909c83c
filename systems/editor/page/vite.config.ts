import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

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

/** Grammars are packages whose file is called `index.js`: the package says more. */
function chunkName({ facadeModuleId, name }: { facadeModuleId: string | null; name: string }): string {
  const grammar = /node_modules\/@codemirror\/(lang-[a-z]+)\//.exec(facadeModuleId ?? "")?.[1];
  return `assets/${grammar ?? name}-[hash].js`;
}

// No inlined assets: the page's policy allows scripts, fonts and pictures from its own host alone.
export default defineConfig({
  plugins: [fontLicences()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licences/packages.md" },
    rolldownOptions: { output: { chunkFileNames: chunkName } },
  },
});
