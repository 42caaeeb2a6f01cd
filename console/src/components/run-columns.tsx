import type { Column } from "./data-table.tsx";
import { formatCompact, formatDuration, formatMoney } from "./formats.ts";
import { RelativeTime } from "./relative-time.tsx";
import { durationOf, type TimedRun } from "./run-labels.ts";
import { type Status, StatusBadge } from "./status-dot.tsx";
import { toPlainLine } from "./to-plain-line.ts";

interface ListedRun extends TimedRun {
  readonly question: { readonly content: string | null } | null;
  readonly status: Status;
  readonly usage: { readonly total_tokens: number; readonly cost_usd: number | null } | null;
  readonly created_at: string;
}

/** The columns of every list of runs, by name, so that a list can place its own between them. */
export const RUN_COLUMNS = {
  question: {
    title: "Question",
    width: "2.5fr",
    narrow: "title",
    render: ({ question }) => (
      <span className="font-medium">{question?.content ? toPlainLine(question.content) : "Deleted"}</span>
    ),
  },
  status: {
    title: "Status",
    width: "8rem",
    narrow: "trailing",
    render: ({ status }) => <StatusBadge status={status} />,
  },
  tokens: {
    title: "Tokens",
    width: "5rem",
    isNumber: true,
    render: ({ usage }) => (usage === null ? "–" : formatCompact(usage.total_tokens)),
  },
  cost: {
    title: "Cost",
    width: "6rem",
    isNumber: true,
    render: ({ usage }) => (usage?.cost_usd === null || usage === null ? "–" : formatMoney(usage.cost_usd)),
  },
  duration: {
    title: "Duration",
    width: "6rem",
    isNumber: true,
    render: (run) => {
      const took = durationOf(run);
      return took === null ? "–" : formatDuration(took);
    },
  },
  when: { title: "When", width: "9rem", isNumber: true, render: ({ created_at: at }) => <RelativeTime at={at} /> },
} as const satisfies Record<string, Column<ListedRun>>;

/** The accessible name of the row of a run. */
export function labelOfRun({ question }: Pick<ListedRun, "question">): string {
  return `Open the run: ${toPlainLine(question?.content ?? "deleted", 60)}`;
}
