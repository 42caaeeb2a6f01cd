import { posix } from "node:path";
import { parseSourceFile } from "../architecture/source-file.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const PAGE = "docs/architecture.md";
const TITLE = "### The files of a call";
const ROW = /^\| \d+ \| `([^`]+)` \|/;

/** The files that a call of `agent-respond` passes through, as the page lists them. */
export function listCallFiles(page: string): readonly string[] {
  const section = page.split(`${TITLE}\n`)[1]?.split(/^#+ /m)[0] ?? "";
  return section.split("\n").flatMap((line) => ROW.exec(line)?.[1] ?? []);
}

/** Each file of the list must exist, and an earlier one must import it, itself or through the entry point of its module. */
export const checkCallPath: DocumentRule = (tree) => {
  const files = listCallFiles(tree.pages.get(PAGE) ?? "");
  if (files.length === 0) return [`${PAGE}: "${TITLE}" lists no files`];
  const reached = new Set<string>();
  return files.flatMap((path, index) => {
    if (!tree.exists(path)) return [`${PAGE}: ${path} does not exist`];
    const isReached = index === 0 || reached.has(path);
    for (const target of importsOf(tree, path)) {
      reached.add(target);
      if (posix.basename(target) === "index.ts") for (const part of importsOf(tree, target)) reached.add(part);
    }
    if (files.indexOf(path) < index) return [`${PAGE}: ${path} stands in the list twice`];
    return isReached ? [] : [`${PAGE}: no earlier file of the list imports ${path}`];
  });
};

function importsOf({ readSource }: DocumentTree, path: string): readonly string[] {
  return parseSourceFile(path, readSource(path) ?? "").imports.flatMap(({ target }) => target ?? []);
}
