import { posix } from "node:path";
import type { Token, Tokens } from "marked";
import type { ParsedPage } from "../markdown/parse-page.ts";
import { joinText } from "../markdown/plain-text.ts";

export interface NavigationGroup {
  readonly title: string;
  readonly entries: readonly NavigationEntry[];
}

export interface NavigationEntry {
  readonly title: string;
  readonly description: string;
  /** A key of the content's pages or attachments. */
  readonly file: string;
}

export const INDEX_FILE = "docs/README.md";
const DECISIONS = "docs/decisions/";
export const DECISION_GROUP = "Decisions";

/**
 * The index of `docs/` is the only list of pages: each section is a group, each link in the first column of its tables an entry.
 * Pages that it does not name follow, so that every page can be reached.
 */
export function buildNavigation(
  parsed: ReadonlyMap<string, ParsedPage>,
  known: (file: string) => boolean,
): readonly NavigationGroup[] {
  const listed = readIndex(parsed.get(INDEX_FILE)?.tokens ?? []).map(({ title, entries }) => ({
    title,
    entries: entries.filter(({ file }) => known(file)),
  }));
  const named = new Set(listed.flatMap(({ entries }) => entries).map(({ file }) => file));
  const others = [...parsed]
    .filter(([file]) => file !== INDEX_FILE && !named.has(file))
    .map(([file, { title, description }]) => ({ title, description, file }));
  return [
    ...listed,
    { title: DECISION_GROUP, entries: others.filter(({ file }) => file.startsWith(DECISIONS)) },
    { title: "Packages and tools", entries: others.filter(({ file }) => !file.startsWith(DECISIONS)) },
  ].filter(({ entries }) => entries.length > 0);
}

function readIndex(tokens: readonly Token[]): readonly NavigationGroup[] {
  const groups: { title: string; entries: NavigationEntry[] }[] = [];
  for (const token of tokens) {
    if (token.type === "heading" && (token as Tokens.Heading).depth > 1)
      groups.push({ title: joinText((token as Tokens.Heading).tokens), entries: [] });
    if (token.type === "table") groups.at(-1)?.entries.push(...(token as Tokens.Table).rows.flatMap(readRow));
  }
  return groups;
}

function readRow([first, second]: readonly Tokens.TableCell[]): readonly NavigationEntry[] {
  const description = second === undefined ? "" : joinText(second.tokens);
  const links = (first?.tokens ?? []).filter((token): token is Tokens.Link => token.type === "link");
  return links.map(({ href, tokens }) => ({
    title: joinText(tokens),
    description,
    file: posix.join(posix.dirname(INDEX_FILE), href.split("#", 1)[0] ?? ""),
  }));
}
