import { isTest, MAX_SOURCE_LINES } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** Long sources are cut by stage before they become a place where things are put. Tests and migrations are lists. */
export const checkSize: Rule = ({ sources }) =>
  sources.flatMap(({ path, text }) => {
    const count = text.replace(/\n$/, "").split("\n").length;
    if (isTest(path) || count <= MAX_SOURCE_LINES) return [];
    return [{ path, line: MAX_SOURCE_LINES + 1, message: `${count} lines; at most ${MAX_SOURCE_LINES}` }];
  });
