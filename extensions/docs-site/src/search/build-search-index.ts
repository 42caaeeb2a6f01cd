import type { Content } from "../content/content.ts";
import { INDEX_FILE, type NavigationGroup } from "../content/navigation.ts";
import type { ParsedPage } from "../markdown/parse-page.ts";
import { toUrl } from "../markdown/resolve-link.ts";
import { SYNONYMS } from "./synonyms.ts";

/** What `find-sections.js` searches: pages, and their sections as `[anchor, heading, text]`. */
export interface SearchIndex {
  readonly synonyms: readonly (readonly string[])[];
  readonly pages: readonly {
    readonly url: string;
    readonly title: string;
    /** What the index of the documentation says about the page. */
    readonly about: string;
    /** Its results come after those of pages for users. */
    readonly isForContributors: boolean;
    readonly sections: readonly (readonly [anchor: string, heading: string, text: string])[];
  }[];
}

/** The groups of the navigation for people who use the service. All others are for those who work on it. */
export const GUIDE_GROUPS: readonly string[] = ["Start", "Build", "Connect", "Operate"];
export const USER_GROUPS: readonly string[] = [...GUIDE_GROUPS, "Reference"];

interface SearchedSite {
  readonly content: Content;
  readonly parsed: ReadonlyMap<string, ParsedPage>;
  readonly navigation: readonly NavigationGroup[];
}

export function buildSearchIndex({ content, parsed, navigation }: SearchedSite): SearchIndex {
  const listed = new Map(
    navigation.flatMap(({ title, entries }) =>
      entries.map(({ file, description }) => [file, { description, isForUsers: USER_GROUPS.includes(title) }]),
    ),
  );
  return {
    synonyms: SYNONYMS,
    pages: [...parsed]
      // The front page only repeats the titles of the others.
      .filter(([file]) => file !== INDEX_FILE)
      .map(([file, { title, sections }]) => ({
        url: toUrl(content.pages.get(file) ?? ""),
        title,
        about: listed.get(file)?.description ?? "",
        isForContributors: listed.get(file)?.isForUsers === false,
        sections: sections
          .filter(({ heading, text }) => heading !== "" || text !== "")
          .map(({ anchor, heading, text }) => [anchor, heading, text] as const),
      })),
  };
}
