import { posix } from "node:path";
import { findLinks } from "./check-links.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const FOLDER = "docs/decisions/";
const LIST = `${FOLDER}0000-how-decisions-are-recorded.md`;
const DECISION = /^docs\/decisions\/\d{4}-[\w-]+\.md$/;
const TITLE = /^# (\d{4}: .+)$/;
const ACCEPTED = /^Accepted, \d{4}-\d\d-\d\d\.$/;
const SUPERSEDED = /^Superseded, \d{4}-\d\d-\d\d, by \[/;
/** What happened to a decision that holds. */
const LATER = /^(?:Changed|Measured again|Superseded in part), \d{4}-\d\d-\d\d\b.*\.$/;
const IN_PART = /^Superseded in part, \d{4}-\d\d-\d\d, by \[/;

/**
 * A decision begins with its state, a line for each change: "Accepted, <date>." or "Superseded, <date>, by [<page>](<link>): <what>.",
 * then "Changed", "Measured again" and "Superseded in part". What is superseded links to the later decision. The list has every decision.
 */
export const checkDecisions: DocumentRule = (tree) =>
  [...tree.pages]
    .filter(([path]) => DECISION.test(path) && path !== LIST)
    .flatMap(([path, text]) => findFaults(tree, path, text).map((fault) => `${path}: ${fault}`));

function findFaults(tree: DocumentTree, path: string, text: string): string[] {
  const [title = "", , ...rest] = text.split("\n");
  const name = posix.basename(path);
  const faults: string[] = [];
  if (TITLE.exec(title)?.[1]?.startsWith(`${name.slice(0, 4)}: `) !== true)
    faults.push(`the title does not begin with the number ${name.slice(0, 4)}`);
  const [first = "", ...later] = rest.slice(0, rest.indexOf(""));
  if (!ACCEPTED.test(first) && !SUPERSEDED.test(first))
    faults.push('does not begin with its state, "Accepted, <date>." or "Superseded, <date>, by [<page>](<link>)"');
  for (const line of later) if (!LATER.test(line)) faults.push(`the state has an unknown line: ${line}`);
  for (const line of [first, ...later].filter((each) => each.startsWith("Superseded")))
    if (!linksToLater(tree, path, line)) faults.push(`does not link to the later decision: ${line}`);
  if (!findLinks(tree.pages.get(LIST) ?? "").includes(name)) faults.push(`is missing in ${LIST}`);
  return faults;
}

function linksToLater({ pages }: DocumentTree, path: string, line: string): boolean {
  if (!SUPERSEDED.test(line) && !IN_PART.test(line)) return false;
  const target = `${FOLDER}${findLinks(line)[0] ?? ""}`;
  return pages.has(target) && target > path;
}
