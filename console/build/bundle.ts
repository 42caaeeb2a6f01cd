import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build } from "vite";

/** Browsers of about the last two years, with light-dark(), CSS nesting and module preloads. */
const BROWSERS = ["chrome125", "edge125", "firefox128", "safari17.5"];

export async function bundle(root: string, outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    envDir: false,
    mode: "production",
    logLevel: "warn",
    plugins: [react(), tailwind()],
    resolve: {
      conditions: ["swarmbase-source", "module", "browser", "production"],
      alias: {
        // The original package writes <style> elements, which the Content-Security-Policy forbids.
        "react-remove-scroll": join(root, "src/components/remove-scroll.tsx"),
      },
    },
    build: {
      outDir,
      emptyOutDir: false,
      target: BROWSERS,
      cssTarget: BROWSERS,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      manifest: "manifest.json",
      chunkSizeWarningLimit: 1_000,
    },
  });
}
