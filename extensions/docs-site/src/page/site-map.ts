import type { Content } from "../content/content.ts";
import type { NavigationEntry, NavigationGroup } from "../content/navigation.ts";
import type { ParsedPage } from "../markdown/parse-page.ts";
import { toUrl } from "../markdown/resolve-link.ts";

/** Everything that a page needs to know of the others. */
export interface SiteMap {
  readonly content: Content;
  readonly parsed: ReadonlyMap<string, ParsedPage>;
  readonly navigation: readonly NavigationGroup[];
  /** The version of the service. */
  readonly version: string;
}

export function urlOf({ content }: SiteMap, file: string): string {
  return toUrl(content.pages.get(file) ?? content.attachments.get(file) ?? "");
}

/** The pages of the navigation in order, without what is no page. */
export function listPages({ navigation, content }: SiteMap): readonly NavigationEntry[] {
  return navigation.flatMap(({ entries }) => entries).filter(({ file }) => content.pages.has(file));
}
