import { readFile } from "node:fs/promises";
import type { Site } from "./load-site.ts";
import { packFile, type SiteFile } from "./site-file.ts";

/** The pages are rendered on the first request for each, so that a start does not wait for them, and are kept in memory. */
interface OpenedSite {
  /** `path` is that of the request; null where the site has nothing. */
  findFile(path: string, version: string): Promise<SiteFile | null>;
  getMissingPage(version: string): Promise<SiteFile>;
}

const ASSETS: ReadonlySet<string> = new Set([
  "docs.css",
  "docs.js",
  "find-sections.js",
  "search.js",
  "theme.js",
  "mark.svg",
]);
/** `/llms.txt` is where programs look for it. */
const PREFIX = /^\/(?:docs\/?)?/;
const MISSING = "404.html";

export function openSite(): OpenedSite {
  let loading: Promise<Site> | null = null;
  const files = new Map<string, Promise<SiteFile | null>>();

  const load = (): Promise<Site> => {
    // Imported here, because a start does not need the Markdown parser and the highlighter.
    loading ??= import("./load-site.ts")
      .then(({ loadSite }) => loadSite())
      .catch((error: unknown) => {
        loading = null;
        throw error;
      });
    return loading;
  };

  /** Unknown paths are not kept, because there is no end of them. */
  const findKept = async (name: string, version: string): Promise<SiteFile | null> => {
    const key = `${version} ${name}`;
    const kept = files.get(key);
    if (kept !== undefined) return kept;
    const rendering = render(name, version);
    files.set(key, rendering);
    try {
      const file = await rendering;
      if (file === null) files.delete(key);
      return file;
    } catch (error) {
      files.delete(key);
      throw error;
    }
  };

  const render = async (name: string, version: string): Promise<SiteFile | null> => {
    const [folder, asset = ""] = name.split("/");
    if (folder === "assets") return ASSETS.has(asset) ? packFile(asset, await readAsset(asset)) : null;
    const found = await (await load()).render(name, version);
    return found === null ? null : packFile(found.name, found.content);
  };

  return {
    findFile: (path, version) => findKept(path.replace(PREFIX, ""), version),
    async getMissingPage(version) {
      const page = await findKept(MISSING, version);
      if (page === null) throw new Error("the site has no page for unknown paths");
      return page;
    },
  };
}

function readAsset(name: string): Promise<Buffer> {
  return readFile(new URL(`assets/${name}`, import.meta.url));
}
