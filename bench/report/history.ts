import { HISTORY_COLUMNS } from "./history-columns.ts";
import { isMet } from "./table.ts";
import type { Results } from "./page.ts";

const HEAD = ["date", "version", "goals met", ...HISTORY_COLUMNS];
const INTRODUCTION = `# Runs

One line for each day with a run of \`npm run bench\`, the newest last. [The README](../README.md#the-history) says what the columns are.

| ${HEAD.join(" | ")} |
|---|---|${"---:|".repeat(HEAD.length - 2)}
`;

/** The history with the line of this day: the parts that were measured on it, by one run or by several. */
export function appendHistory(history: string | null, { date, versions, parts }: Results): string {
  const goals = parts
    .filter((part) => part.date === date)
    .flatMap(({ tables }) => tables.flatMap((table) => table.goals));
  const cells = HISTORY_COLUMNS.map((column) => {
    const value = goals.find((goal) => goal.history === column)?.value ?? Number.NaN;
    return Number.isFinite(value) ? value.toFixed(value >= 10 ? 0 : 2) : "–";
  });
  const met = `${goals.filter(isMet).length} of ${goals.length}`;
  const line = `| ${[date, versions["Swarmbase"] ?? "not known", met, ...cells].join(" | ")} |\n`;
  const earlier = (history ?? INTRODUCTION).split("\n").filter((other) => !other.startsWith(`| ${date} |`));
  return `${earlier.join("\n")}${line}`;
}
