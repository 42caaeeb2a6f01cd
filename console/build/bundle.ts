import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, type Plugin } from "vite";

/** Browsers of about the last two years, with light-dark(), CSS nesting and module preloads. */
const BROWSERS = ["chrome125", "edge125", "firefox128", "safari17.5"];

/**
 * What the modules of a list need is one file, which compresses better than sixty small ones. A module goes into the first file that
 * needs it. "start" has what main.tsx imports, but not main.tsx, which is the file that the page names.
 */
const FILES = Object.entries({
  start: [
    "app/app",
    "app/router",
    "app/start-failure",
    "data/call-service",
    "data/client",
    "data/connection",
    "data/live",
    "data/passkey-offer",
    "data/query-client",
    "data/session",
    "data/use-clear-on-reconnect",
    "components/banner",
    "components/icon-button",
    "components/link",
    "components/password-input",
  ],
  entry: ["pages/entry/entry-layout", "pages/entry/sign-in"],
  shell: ["app/shell", "components/card", "components/page-header"],
  home: ["pages/home/index", "pages/home/checklist"],
  rows: [
    "components/relative-time",
    "components/status-dot",
    "components/to-plain-line",
    "data/live-run",
    "data/use-interval",
  ],
}).map(([name, modules], index, { length }) => ({
  name,
  test: (id: string) => modules.some((module) => id.includes(`/src/${module}.ts`)),
  priority: length - index,
}));

export async function bundle(root: string, outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    envDir: false,
    mode: "production",
    logLevel: "warn",
    plugins: [react(), tailwind(), stylesLast()],
    resolve: {
      conditions: ["swarmbase-source", "module", "browser", "production"],
      alias: {
        // The original package writes <style> elements, which the Content-Security-Policy forbids.
        "react-remove-scroll": join(root, "src/components/remove-scroll.tsx"),
        "@supabase/storage-js": join(root, "src/data/unused-client.ts"),
        "./lib/web3/ethereum": join(root, "src/data/unused-client.ts"),
      },
    },
    build: {
      outDir,
      emptyOutDir: false,
      target: BROWSERS,
      cssTarget: BROWSERS,
      assetsInlineLimit: 0,
      modulePreload: {
        polyfill: false,
        // The first file of every page would have the list of what the portal needs.
        resolveDependencies: (file, needed) => (file.includes("show-portal") ? [] : needed),
      },
      reportCompressedSize: false,
      manifest: "manifest.json",
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: { output: { codeSplitting: { groups: FILES } } },
    },
  });
}

/**
 * Browsers paint nothing before the style sheets of the head have arrived, so the one of the pages is moved to the end of the body.
 * Module scripts wait for it in any case: nothing is rendered without its styles.
 */
function stylesLast(): Plugin {
  return {
    name: "styles-last",
    transformIndexHtml: {
      order: "post",
      handler: (html) => {
        const links: string[] = [];
        const rest = html.replace(/\s*<link rel="stylesheet"[^>]*href="\/assets\/[^>]*>/g, (link) => {
          links.push(link);
          return "";
        });
        return rest.replace(/\s*<\/body>/, (end) => `${links.join("")}${end}`);
      },
    },
  };
}
