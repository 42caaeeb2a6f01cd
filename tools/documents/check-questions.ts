import { posix } from "node:path";
import { findReferenceFault } from "./find-reference-fault.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const PAGE = "docs/architecture.md";
const TITLE = "## Where to look";
const ROW = /^\| [^|]+ \| \[`([^`]+)`\]\(([^)]+)\) \| `([^`]+)` \|[^|]*\|$/;
/** The head of a table, and the line below it. */
const HEAD = /^\| question \||^\|-/;

/** The table from question to file: each row links to a file that exists and names something that the file declares. */
export const checkQuestions: DocumentRule = (tree) => {
  const section = (tree.pages.get(PAGE) ?? "").split(`${TITLE}\n`)[1]?.split(/^## /m)[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|") && !HEAD.test(line));
  if (rows.length === 0) return [`${PAGE}: "${TITLE}" lists no questions`];
  return rows.flatMap((row) => findRowFaults(tree, row).map((fault) => `${PAGE}: ${fault}`));
};

function findRowFaults(tree: DocumentTree, row: string): string[] {
  const [, path, link, name] = ROW.exec(row) ?? [];
  if (path === undefined || link === undefined || name === undefined)
    return [`a row is not "| question | [\`file\`](link) | \`name\` | in short |": ${row}`];
  if (posix.join(posix.dirname(PAGE), link) !== path) return [`the link of ${path} leads to ${link}`];
  const fault = findReferenceFault(tree, `${path}#${name}`);
  return fault === null ? [] : [fault];
}
