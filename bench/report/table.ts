import type { HistoryColumn } from "./history-columns.ts";

/** One table of a part: its rows, its plot and its goals. */
export interface Table {
  /** Names its plot, and is the same in every run. */
  readonly id: string;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Notes that a reader needs to interpret the figures. */
  readonly notes: readonly string[];
  /** Its result in one sentence, for the beginning of the page: for a reader who chooses between products. */
  readonly headline?: string;
  readonly goals: readonly Goal[];
  readonly plot: Plot;
}

export interface Goal {
  readonly about: string;
  readonly bound: "at least" | "at most";
  readonly limit: number;
  readonly value: number;
  readonly unit: string;
  /** Where the bound is, from measurements of the same run. Shown if the goal is missed. */
  readonly reason?: string;
  /** Whether the goal belongs to the table of costs at the beginning of the page. */
  readonly isCost?: boolean;
  /** The column of the history that shows this value. */
  readonly history?: HistoryColumn;
}

export interface Plot {
  readonly caption: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The label at the end of the bar. */
  readonly text: string;
  /** The goal; null if there is none. */
  readonly goal: number | null;
  readonly isOurs: boolean;
}

export function isMet({ bound, limit, value }: Goal): boolean {
  return bound === "at least" ? value >= limit : value <= limit;
}

/** Renders the table with its goals and notes as Markdown. */
export function renderTable({ head, rows, goals, notes }: Table): string {
  const parts = [renderGrid(head, rows), ...(goals.length > 0 ? [renderGoals(goals)] : []), ...notes];
  return parts.join("\n\n");
}

export function renderGrid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  const rule = `|${head.map((_, at) => (at === 0 ? "---" : "---:")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** Missed goals are listed, met goals are counted. */
export function renderGoals(goals: readonly Goal[]): string {
  const missed = goals.filter((goal) => !isMet(goal));
  const met = `Goals: ${goals.length - missed.length} of ${goals.length} met.`;
  if (missed.length === 0) return met;
  const lines = missed.map(
    ({ about, bound, limit, value, unit, reason }) =>
      `- missed: ${about} is ${formatFigure(value)}${unit}, the goal is ${bound} ${formatFigure(limit)}${unit}${reason === undefined ? "" : `: ${reason}`}`,
  );
  return [met, "", ...lines].join("\n");
}

/** All costs in one table: what was measured, the goal, and the reason where it is missed. */
export function renderCosts(goals: readonly Goal[]): string {
  return renderGrid(
    ["figure", "measured", "goal", ""],
    goals.map((goal) => {
      const { about, bound, limit, value, unit, reason = "" } = goal;
      const outcome = isMet(goal) ? "met" : ["missed", reason].filter((text) => text !== "").join(": ");
      return [about, `${formatFigure(value)}${unit}`, `${bound} ${formatFigure(limit)}${unit}`, outcome];
    }),
  );
}

/** Three significant digits, without trailing zeros. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
