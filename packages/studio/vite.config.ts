// Builds the page: everything it needs in a few files of its own, so that it works without a network.
import { svelte, vitePreprocess } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte({ configFile: false, preprocess: vitePreprocess() })],
  base: "./",
  resolve: { conditions: ["pliant-source", "browser", "module", "production"] },
  worker: { format: "es" },
  build: {
    target: "es2022",
    // Small files stay files: the server's policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
