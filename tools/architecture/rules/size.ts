import { isTest, MAX_SOURCE_LINES } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** Long sources are divided by stage. Tests and migrations are lists and may be longer. */
export const checkSize: Rule = ({ sources }) =>
  sources.flatMap(({ path, text }) => {
    const count = text.replace(/\n$/, "").split("\n").length;
    if (isTest(path) || count <= MAX_SOURCE_LINES) return [];
    return [{ path, line: MAX_SOURCE_LINES + 1, message: `${count} lines; at most ${MAX_SOURCE_LINES}` }];
  });
