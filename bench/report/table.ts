/** One table of a part: its rows, its plot and its goals. */
export interface Table {
  /** Names its plot, and is the same in every run. */
  readonly id: string;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Notes that a reader needs to interpret the figures. */
  readonly notes: readonly string[];
  readonly goals: readonly Goal[];
  readonly plot: Plot;
}

export interface Goal {
  readonly about: string;
  readonly bound: "at least" | "at most";
  readonly limit: number;
  readonly value: number;
  readonly unit: string;
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
    ({ about, bound, limit, value, unit }) =>
      `- missed: ${about} is ${formatFigure(value)}${unit}, the goal is ${bound} ${formatFigure(limit)}${unit}`,
  );
  return [met, "", ...lines].join("\n");
}

/** Three significant digits, without trailing zeros. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(size >= 10 ? 3 : 2)));
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
