import { lexer, type Token, type Tokens, type TokensList } from "marked";
import { joinText, toPlainText, toRowText } from "./plain-text.ts";

/** Gives out the ids of one page. The frame of the page has two of its own, `_menu` and `_text`. */
class Anchors {
  readonly #taken = new Set(["_menu", "_text"]);

  /** As common code hosts form them: lower case, no punctuation, hyphens for spaces, numbered repeats. */
  addHeading(text: string): string {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let anchor = slug;
    for (let repeat = 1; this.#taken.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    this.#taken.add(anchor);
    return anchor;
  }

  /** For a row of a table, by the name in its first cell; null when the page has that id already. */
  addRow(name: string): string | null {
    const anchor = name.toLowerCase();
    if (!/^[\w.-]+$/.test(anchor) || this.#taken.has(anchor)) return null;
    this.#taken.add(anchor);
    return anchor;
  }
}

/** A Markdown file, read but not rendered. */
export interface ParsedPage {
  readonly title: string;
  /** The first paragraph. */
  readonly description: string;
  readonly tokens: TokensList;
  readonly headings: readonly Heading[];
  /** The page in pieces that a search can lead to. */
  readonly sections: readonly Section[];
  /** Ids of headings and of rows of tables. */
  readonly anchors: ReadonlyMap<object, string>;
}

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

interface Section {
  /** Empty before the first heading below the title. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export function parsePage(markdown: string): ParsedPage {
  const tokens = lexer(markdown);
  const anchors = assignAnchors(tokens);
  const headings = tokens.filter(isHeading).map((heading) => ({
    depth: heading.depth,
    text: joinText(heading.tokens),
    anchor: anchors.get(heading) ?? "",
  }));
  const paragraph = tokens.find(({ type }) => type === "paragraph");
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? "",
    description: paragraph === undefined ? "" : toPlainText(paragraph).trim(),
    tokens,
    headings,
    sections: findSections(tokens, anchors),
    anchors,
  };
}

/** Headings first, because links in Markdown lead to them. */
function assignAnchors(tokens: readonly Token[]): ReadonlyMap<object, string> {
  const ids = new Anchors();
  const anchors = new Map<object, string>();
  for (const heading of tokens.filter(isHeading)) anchors.set(heading, ids.addHeading(joinText(heading.tokens)));
  for (const row of tokens.filter(isTable).flatMap(({ rows }) => rows)) {
    const name = findRowName(row);
    const anchor = name === null ? null : ids.addRow(name);
    if (anchor !== null) anchors.set(row, anchor);
  }
  return anchors;
}

/** A row whose first cell is one piece of code, such as an error code or a setting, can be linked to. */
function findRowName([first]: readonly Tokens.TableCell[]): string | null {
  const [token, ...others] = first?.tokens ?? [];
  return token?.type === "codespan" && others.length === 0 ? (token as Tokens.Codespan).text : null;
}

function findSections(tokens: readonly Token[], anchors: ReadonlyMap<object, string>): readonly Section[] {
  const sections: { anchor: string; heading: string; text: string }[] = [];
  let current = { anchor: "", heading: "", text: "" };
  for (const token of tokens) {
    if (isHeading(token) && token.depth > 1) {
      sections.push(current);
      current = { anchor: anchors.get(token) ?? "", heading: joinText(token.tokens), text: "" };
    } else if (isTable(token)) {
      for (const row of token.rows) {
        const anchor = anchors.get(row);
        if (anchor === undefined) current.text += ` ${toRowText(row)}`;
        else sections.push({ anchor, heading: findRowName(row) ?? "", text: toRowText(row.slice(1)) });
      }
    } else if (!isHeading(token)) current.text += ` ${toPlainText(token)}`;
  }
  return [...sections, current].map((section) => ({ ...section, text: section.text.replace(/\s+/g, " ").trim() }));
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === "table";
}
