import { clsx } from "clsx";
import { ArrowLeftRight } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { hasEnded } from "../../data/live-run.ts";
import { type Trace, type TraceTurn, useTraces } from "../../data/traces.ts";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { formatCount, formatDuration, formatMoney } from "../../components/formats.ts";
import { ButtonLink, Link } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { durationOf } from "../../components/run-labels.ts";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { TextDifference } from "../../components/text-difference.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";
import { layOutTrace } from "./lay-out-trace.ts";
import { Waterfall } from "./waterfall.tsx";

const CRUMBS = [{ label: "Runs", to: "/runs" }];

/** Two runs side by side: figures, bars and answers. */
export function ComparePage() {
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const [a, b] = [address.get("a") ?? "", address.get("b") ?? ""];
  const { rows, failure, reload } = useTraces(useMemo(() => [a, b], [a, b]));
  const [first, second] = [rows?.find(({ id }) => id === a), rows?.find(({ id }) => id === b)];
  return (
    <>
      <PageHeader
        title="Compare two runs"
        crumbs={CRUMBS}
        actions={
          <Button icon={<ArrowLeftRight />} onClick={() => void navigate(`/runs/compare?a=${b}&b=${a}`)}>
            Swap
          </Button>
        }
      />
      {rows === undefined && failure === null && <PageSkeleton />}
      {rows === undefined && failure !== null && failure.status !== 400 && (
        <FailureState title="The runs could not be loaded" message={failure.message} onRetry={reload} />
      )}
      {first !== undefined && second !== undefined && <Comparison first={first} second={second} />}
      {(rows !== undefined || failure?.status === 400) && (first === undefined || second === undefined) && (
        <EmptyState picture="lost" title="Run not found" action={<ButtonLink to="/runs">All runs</ButtonLink>}>
          One of the runs does not exist, was removed, or belongs to a swarm that you are not a member of.
        </EmptyState>
      )}
    </>
  );
}

interface ComparisonProps {
  readonly first: Trace;
  readonly second: Trace;
}

function Comparison({ first, second }: ComparisonProps) {
  const count = Math.max(first.turns.length, second.turns.length);
  const [before, after] = [sortTurns(first), sortTurns(second)];
  return (
    <div className="grid min-w-0 gap-5">
      <ComparedFigures first={first} second={second} />
      <div className="grid min-w-0 gap-5 xl:grid-cols-2">
        <OneWaterfall trace={first} />
        <OneWaterfall trace={second} />
      </div>
      <CardSection
        title="Answers"
        description="What only the first run wrote is red, what only the second wrote is green."
      >
        <div className="grid min-w-0 gap-4">
          {Array.from({ length: count }, (_, place) => (
            <TextDifference
              key={place}
              label={nameTurns(before[place], after[place])}
              before={answerOf(first, before[place])}
              after={answerOf(second, after[place])}
            />
          ))}
        </div>
      </CardSection>
    </div>
  );
}

function OneWaterfall({ trace }: { readonly trace: Trace }) {
  const navigate = useNavigate();
  const nowMs = hasEnded(trace) ? 0 : Date.now();
  return (
    <Waterfall
      spans={layOutTrace(trace, nowMs)}
      selected={null}
      onSelect={(key) => void navigate(`/runs/${trace.id}?part=${key}`)}
    />
  );
}

function sortTurns({ turns }: Trace): readonly TraceTurn[] {
  return turns.toSorted((one, other) => one.position - other.position);
}

function answerOf({ answers }: Trace, turn: TraceTurn | undefined): string {
  if (turn === undefined) return "";
  return answers.find(({ id }) => id === turn.message_id)?.content ?? turn.error?.message ?? "";
}

function nameTurns(one: TraceTurn | undefined, other: TraceTurn | undefined): string {
  const names = [...new Set([one, other].flatMap((turn) => (turn === undefined ? [] : [describeTurn(turn)])))];
  return names.join(" → ");
}

function describeTurn({ agent_name: name, agent_version: version, model }: TraceTurn): string {
  return [name, ...(version === null ? [] : [`version ${version}`]), model].join(", ");
}

/** A row of the table: a text, or a number with its difference. */
interface Measure {
  readonly label: string;
  render(trace: Trace): ReactNode;
  measure?(trace: Trace): number | null;
  format?(value: number): string;
}

const firstTokenOf = ({ turns }: Trace): number | null => {
  const times = turns.flatMap(({ first_token_ms: ms }) => (ms === null ? [] : [ms]));
  return times.length === 0 ? null : Math.min(...times);
};

const MEASURES: readonly Measure[] = [
  { label: "Question", render: ({ question }) => toPlainLine(question?.content ?? "Deleted", 120) },
  { label: "Status", render: ({ status }) => <StatusBadge status={status} /> },
  { label: "Agents", render: (trace) => sortTurns(trace).map(describeTurn).join("; ") || "–" },
  { label: "Duration", render: () => null, measure: durationOf, format: formatDuration },
  { label: "First token after", render: () => null, measure: firstTokenOf, format: formatDuration },
  { label: "Turns", render: () => null, measure: ({ turns }) => turns.length, format: formatCount },
  {
    label: "Tool calls",
    render: () => null,
    measure: ({ turns }) => turns.reduce((sum, turn) => sum + turn.tool_executions.length, 0),
    format: formatCount,
  },
  { label: "Tokens in", render: () => null, measure: ({ usage }) => usage?.input_tokens ?? null, format: formatCount },
  {
    label: "Tokens out",
    render: () => null,
    measure: ({ usage }) => usage?.output_tokens ?? null,
    format: formatCount,
  },
  { label: "Cost", render: () => null, measure: ({ usage }) => usage?.cost_usd ?? null, format: formatMoney },
];

function ComparedFigures({ first, second }: ComparisonProps) {
  return (
    <div
      className="min-w-0 overflow-x-auto rounded-lg border border-line bg-surface shadow-1"
      tabIndex={0}
      role="region"
      aria-label="Figures"
    >
      <table className="w-full table-fixed text-left sm:table-auto">
        <thead>
          <tr className="border-b border-line text-sm text-ink-faint">
            <th className="w-22 px-3 py-2.5 font-medium sm:w-28 sm:px-4">
              <span className="sr-only">Figure</span>
            </th>
            {[first, second].map((trace, place) => (
              <th key={trace.id} className="px-2 py-2.5 font-medium sm:px-4">
                <Link to={`/runs/${trace.id}`}>{place === 0 ? "First run" : "Second run"}</Link>
              </th>
            ))}
            <th className="hidden px-4 py-2.5 font-medium sm:table-cell">Difference</th>
          </tr>
        </thead>
        <tbody>
          {MEASURES.map((measure) => (
            <MeasureRow key={measure.label} measure={measure} first={first} second={second} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MeasureRow({ measure, first, second }: ComparisonProps & { readonly measure: Measure }) {
  const { label, render, measure: read, format = String } = measure;
  const [one, other] = [read?.(first) ?? null, read?.(second) ?? null];
  const show = (trace: Trace, value: number | null): ReactNode =>
    read === undefined ? render(trace) : value === null ? "–" : format(value);
  const difference = one === null || other === null ? null : other - one;
  return (
    <tr className="border-b border-line align-top last:border-b-0">
      <th className="px-3 py-2 text-sm font-normal text-ink-faint sm:px-4">{label}</th>
      <td className="px-2 py-2 wrap-anywhere tabular-nums sm:px-4">{show(first, one)}</td>
      <td className="px-2 py-2 wrap-anywhere tabular-nums sm:px-4">{show(second, other)}</td>
      <td
        className={clsx(
          "hidden px-4 py-2 whitespace-nowrap tabular-nums sm:table-cell",
          difference === null || difference === 0 ? "text-ink-faint" : "text-ink",
        )}
      >
        {difference !== null && difference !== 0 && `${difference > 0 ? "+" : "−"}${format(Math.abs(difference))}`}
      </td>
    </tr>
  );
}
