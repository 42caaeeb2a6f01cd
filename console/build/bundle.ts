import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, type Plugin } from "vite";

/** Browsers of about the last two years, with light-dark(), CSS nesting and module preloads. */
const BROWSERS = ["chrome125", "edge125", "firefox128", "safari17.5"];

/** What each of these modules needs is one file: it compresses better than sixty small ones. A module goes into the first that needs it. */
const FILES = [
  { name: "start", test: /\/src\/(?:main|components\/(?:banner|icon-button|link|password-input))\.tsx$/ },
  { name: "entry", test: /\/src\/pages\/entry\/(?:entry-layout|sign-in)\.tsx$/ },
  { name: "shell", test: /\/src\/(?:app\/shell|components\/(?:card|page-header|relative-time|status-dot))\.tsx$/ },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

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
        "@supabase/storage-js": join(root, "src/data/no-storage.ts"),
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
