import { setImmediate as nextTurn } from "node:timers/promises";
import { loadContent } from "./content/content.ts";
import { buildNavigation, INDEX_FILE } from "./content/navigation.ts";
import { type ParsedPage, parsePage } from "./markdown/parse-page.ts";
import { renderContents } from "./page/render-contents.ts";
import { renderHome } from "./page/render-home.ts";
import { renderMissing, renderPage } from "./page/render-page.ts";
import type { SiteMap } from "./page/site-map.ts";
import { buildSearchIndex, type SearchIndex } from "./search/build-search-index.ts";
import { readSection } from "./text/read-section.ts";
import { renderLlms, renderLlmsFull } from "./text/render-llms.ts";

export interface RenderedFile {
  /** Its extension decides the media type. */
  readonly name: string;
  readonly content: string | Buffer;
}

export interface Site {
  /** `path` is below `/docs`: "" for the front page. Null for an unknown path. */
  render(path: string, version: string): Promise<RenderedFile | null>;
  buildIndex(): SearchIndex;
  /** The Markdown of a section of a page; null where there is none. */
  readSection(path: string, anchor: string): string | null;
}

/** Reads and parses all pages; each one is rendered when it is asked for. */
export async function loadSite(root?: string): Promise<Site> {
  const content = await loadContent(root);
  const parsed = new Map<string, ParsedPage>();
  for (const file of content.pages.keys()) {
    parsed.set(file, parsePage((await content.read(file)).toString()));
    // Requests are served between two pages.
    await nextTurn();
  }
  const { pages, attachments } = content;
  const fileOf = new Map([...pages, ...attachments].map(([file, path]) => [path, file]));
  const navigation = buildNavigation(parsed, (file) => pages.has(file) || attachments.has(file));

  const renderHtml = (path: string, map: SiteMap): string | null => {
    if (path === "") return renderHome(map);
    if (path === "contents") return renderContents(map);
    if (path === "404.html") return renderMissing(map);
    const file = fileOf.get(path);
    return file === undefined || file === INDEX_FILE || !pages.has(file) ? null : renderPage(map, file);
  };

  return {
    async render(path, version) {
      const map = { content, parsed, navigation, version };
      if (path === "search.json") return { name: path, content: JSON.stringify(buildSearchIndex(map)) };
      if (path === "llms.txt") return { name: path, content: renderLlms(map) };
      if (path === "llms-full.txt") return { name: path, content: await renderLlmsFull(map) };
      const page = renderHtml(path, map);
      if (page !== null) return { name: "page.html", content: page };
      const file = fileOf.get(path.endsWith(".md") ? path.slice(0, -".md".length) : path);
      return file === undefined ? null : { name: file, content: await content.read(file) };
    },
    buildIndex: () => buildSearchIndex({ content, parsed, navigation }),
    readSection: (path, anchor) => {
      const page = parsed.get(fileOf.get(path) ?? "");
      return page === undefined ? null : readSection(page, anchor);
    },
  };
}
