import { defineConfig } from "vite";

// Nothing is inlined, because the page's policy allows scripts and styles only from its own host. Addresses are relative,
// so that the page also works behind a proxy with a path.
export default defineConfig({
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: false, reportCompressedSize: false },
});
