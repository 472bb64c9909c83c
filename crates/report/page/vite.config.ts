import { defineConfig } from "vite";

// One script without imports: the report embeds it, and its policy permits no other file.
export default defineConfig({
  build: {
    target: "es2023",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/main.ts",
      output: { format: "iife", entryFileNames: "report.js" },
    },
  },
});
