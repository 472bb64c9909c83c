import { defineConfig } from "vite";

// Each page has one script without imports: the page embeds it, and its policy permits no other file. `--mode live` builds
// the script of the live page.
export default defineConfig(({ mode }) => {
  const name = mode === "live" ? "live" : "report";
  return {
    build: {
      target: "es2023",
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      emptyOutDir: name === "report",
      rolldownOptions: {
        input: `src/${name}.ts`,
        output: { format: "iife", entryFileNames: `${name}.js` },
      },
    },
  };
});
