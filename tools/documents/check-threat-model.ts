import type { DocumentRule } from "./rule.ts";
import { hasTest } from "./test-titles.ts";

const MODEL = "docs/threat-model.md";
/** `path::title`, in backticks. */
const NAMED_TEST = /`([\w./-]+\.test\.ts)::([^`]+)`/g;
const ROW = /^\| (T\d+) \|/;

/** Each threat must name a test, or state that it has none; the named tests must exist. */
export const checkThreatModel: DocumentRule = ({ pages, readSource }) => {
  const text = pages.get(MODEL);
  if (text === undefined) return [`${MODEL}: is missing`];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const line of text.split("\n")) {
    const id = ROW.exec(line)?.[1];
    if (id === undefined) continue;
    if (seen.has(id)) faults.push(`${MODEL}: ${id} stands there twice`);
    seen.add(id);
    if (!/`[^`]+\.test\.ts::/.test(line) && !line.includes("not covered:")) {
      faults.push(`${MODEL}: ${id} names no test and does not say "not covered:" with why`);
    }
  }
  if (seen.size === 0) faults.push(`${MODEL}: has no threats`);
  for (const [, path = "", title = ""] of text.matchAll(NAMED_TEST)) {
    const source = readSource(path);
    if (source === null) faults.push(`${MODEL}: ${path} does not exist`);
    else if (!hasTest(source, title)) faults.push(`${MODEL}: ${path} has no test "${title}"`);
  }
  return faults;
};
