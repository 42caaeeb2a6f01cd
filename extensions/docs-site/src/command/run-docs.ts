import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { loadSite, type Site } from "../load-site.ts";
import type { SearchIndex } from "../search/build-search-index.ts";

const MOST_WORDS = 50;
const SHOWN_RESULTS = 8;
const EXCERPT_CHARACTERS = 240;
const BEFORE_MATCH = 60;

interface FoundSection {
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** The script that searches in the pages, too. */
interface Search {
  findSections(
    index: unknown,
    query: string,
  ): { readonly words: readonly string[]; readonly results: readonly FoundSection[] };
  openIndex(index: SearchIndex): unknown;
}

export async function runDocs({ args, stdout, stderr, version }: ExtensionCommandContext): Promise<number> {
  const { values, positionals } = parseOptions(args, { page: { type: "string" } }, MOST_WORDS);
  if ((values.page === undefined) === (positionals.length === 0))
    throw new UsageError("Name the words to search for, or a page with --page.");
  const site = await loadSite();
  const found =
    values.page === undefined ? await search(site, positionals.join(" ")) : await read(site, values.page, version);
  if (found === null) {
    stderr.write(values.page === undefined ? "No page has these words.\n" : `There is no page ${values.page}.\n`);
    return 1;
  }
  stdout.write(found);
  return 0;
}

async function read(site: Site, page: string, version: string): Promise<string | null> {
  const [, path = "", anchor] = /^(?:\/?docs\/)?([^#]*?)(?:\.md)?(?:#(.*))?$/s.exec(page) ?? [];
  if (anchor !== undefined) return site.readSection(path, anchor);
  return (await site.render(`${path}.md`, version))?.content.toString() ?? null;
}

async function search(site: Site, query: string): Promise<string | null> {
  const script = new URL("../assets/find-sections.js", import.meta.url).href;
  const { findSections, openIndex } = (await import(script)) as Search;
  const { words, results } = findSections(openIndex(site.buildIndex()), query);
  if (results.length === 0) return null;
  return results
    .slice(0, SHOWN_RESULTS)
    .map((section) => renderResult(section, words))
    .join("\n");
}

function renderResult({ href, title, heading, text }: FoundSection, words: readonly string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE_MATCH);
  const excerpt = text.slice(start, start + EXCERPT_CHARACTERS);
  const name = heading === "" ? title : `${title}: ${heading}`;
  return `${name}\n  ${href.replace(/^\/docs\//, "")}\n  ${excerpt}\n`;
}
