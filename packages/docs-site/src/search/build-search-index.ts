import type { Content } from "../content/content.ts";
import { INDEX_FILE } from "../content/navigation.ts";
import type { ParsedPage } from "../markdown/parse-page.ts";
import { toUrl } from "../markdown/resolve-link.ts";

/** What `docs.js` searches: pages, and their sections as `[anchor, heading, text]`. */
export interface SearchIndex {
  readonly pages: readonly {
    readonly url: string;
    readonly title: string;
    readonly sections: readonly (readonly [anchor: string, heading: string, text: string])[];
  }[];
}

export function buildSearchIndex({ pages }: Content, parsed: ReadonlyMap<string, ParsedPage>): SearchIndex {
  return {
    pages: [...parsed]
      // The front page only repeats the titles of the others.
      .filter(([file]) => file !== INDEX_FILE)
      .map(([file, { title, sections }]) => ({
        url: toUrl(pages.get(file) ?? ""),
        title,
        sections: sections
          .filter(({ heading, text }) => heading !== "" || text !== "")
          .map(({ anchor, heading, text }) => [anchor, heading, text] as const),
      })),
  };
}
