import { CORE_LINE_BUDGET, SERVER_SOURCE } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** The core grows only on purpose: what only some users need, or what translates to another protocol, is a package. */
export const checkCoreBudget: Rule = ({ sources }) => {
  const count = sources
    .filter(({ path }) => path.startsWith(SERVER_SOURCE))
    .reduce((sum, { text }) => sum + text.replace(/\n$/, "").split("\n").length, 0);
  if (count <= CORE_LINE_BUDGET) return [];
  const message =
    `${count} lines; the budget is ${CORE_LINE_BUDGET}. Move what only some users need to a package, ` +
    "or raise CORE_LINE_BUDGET in tools/architecture/modules.ts in the same commit and say why (docs/decisions/0026-what-belongs-to-the-core.md)";
  return [{ path: SERVER_SOURCE, line: 1, message }];
};
