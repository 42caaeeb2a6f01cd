import type { PlannedStatement } from "./statement.ts";

export interface ExplainOptions {
  readonly format: "text" | "json";
  readonly options: readonly string[];
}

const KNOWN_OPTIONS = ["analyze", "verbose", "settings", "buffers", "wal"];

/** Returns the execution plan instead of the result. */
export function renderExplain(statement: PlannedStatement, { format, options }: ExplainOptions): PlannedStatement {
  const named = KNOWN_OPTIONS.filter((option) => options.includes(option));
  return { ...statement, text: `explain (${[`format ${format}`, ...named].join(", ")}) ${statement.text}` };
}
