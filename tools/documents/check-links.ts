import { posix } from "node:path";
import type { DocumentRule } from "./rule.ts";

const FENCE = /^(```|~~~)[\s\S]*?^\1/gm;
const CODE = /`[^`\n]*`/g;
const INLINE_LINK = /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g;
const LINK_DEFINITION = /^\[[^\]]+\]:\s+(\S+)/gm;
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/gm;

/** Every relative link must lead to an existing file, and its fragment to a heading. */
export const checkLinks: DocumentRule = ({ pages, exists }) =>
  [...pages].flatMap(([path, text]) =>
    findLinks(text).flatMap((link) => {
      if (/^[a-z][a-z+.-]*:/i.test(link)) return [];
      const [file = "", fragment] = link.split("#");
      const target = file === "" ? path : posix.join(posix.dirname(path), decodeURI(file));
      if (target.startsWith("..") || !exists(target)) return [`${path}: the link ${link} is broken`];
      const page = pages.get(target);
      if (fragment === undefined || page === undefined || findAnchors(page).has(fragment)) return [];
      return [`${path}: ${link} refers to a heading that does not exist`];
    }),
  );

/** The addresses of all links outside of code. */
export function findLinks(text: string): string[] {
  const prose = text.replace(FENCE, "").replace(CODE, "");
  return [...prose.matchAll(INLINE_LINK), ...prose.matchAll(LINK_DEFINITION)].map(([, link]) => link ?? "");
}

/** Anchors as common hosts generate them: lower case, no punctuation, hyphens for spaces, numbered repeats. */
function findAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.replace(FENCE, "").matchAll(HEADING)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
}
