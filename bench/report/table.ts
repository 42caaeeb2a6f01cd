/** One table of a part: what is printed, what is drawn of it, and what it was to reach. */
export interface Table {
  /** Names its plot, and is the same in every run. */
  readonly id: string;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a reader has to know beside the figures. */
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
  /** As it is written at its end. */
  readonly text: string;
  /** Where it should end; null where nothing was set. */
  readonly goal: number | null;
  readonly isOurs: boolean;
}

export function isMet({ bound, limit, value }: Goal): boolean {
  return bound === "at least" ? value >= limit : value <= limit;
}

/** The table with its goals and notes as Markdown. */
export function renderTable({ head, rows, goals, notes }: Table): string {
  const parts = [renderGrid(head, rows), ...(goals.length > 0 ? [renderGoals(goals)] : []), ...notes];
  return parts.join("\n\n");
}

export function renderGrid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  const rule = `|${head.map((_, at) => (at === 0 ? "---" : "---:")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** Those that were missed are told one by one, those that were met are counted. */
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

/** Three digits that count, and no more than are needed. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(size >= 10 ? 3 : 2)));
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
