import { posix } from "node:path";
import { findLinks } from "./check-links.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const START = "README.md";
const MAX_LINKS = 3;

/** A reader comes from the README to every page of `docs/` in at most three links. */
export const checkReach: DocumentRule = (tree) => {
  const reached = new Set([START]);
  let last: readonly string[] = [START];
  for (let step = 0; step < MAX_LINKS; step++) {
    last = last.flatMap((path) => listLinkedPages(tree, path)).filter((path) => !reached.has(path));
    for (const path of last) reached.add(path);
  }
  return [...tree.pages.keys()]
    .filter((path) => path.startsWith("docs/") && !reached.has(path))
    .map((path) => `${path}: is more than ${MAX_LINKS} links away from ${START}`);
};

function listLinkedPages({ pages }: DocumentTree, from: string): string[] {
  return findLinks(pages.get(from) ?? "")
    .map((link) => posix.join(posix.dirname(from), link.split("#")[0] ?? ""))
    .filter((path) => pages.has(path));
}
