import { Bot, Flag, MessageSquare, TriangleAlert } from "lucide-react";
import type { Row } from "../../../data/client.ts";
import { hasEnded } from "../../../data/live-run.ts";
import type { Answer, Run, ToolCall } from "../../../data/runs.ts";
import { formatDuration, formatMoney, formatUsage } from "../../../components/formats.ts";
import { Markdown } from "../../../components/markdown.tsx";
import { listPassedOn } from "../../../components/passed-on.ts";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge, toneOf } from "../../../components/status-dot.tsx";
import { Timeline, type TimelineItem } from "../../../components/timeline.tsx";
import { toSentence } from "../../../components/to-sentence.ts";
import { TurnTools } from "./approval-card.tsx";
import { toLiveTool } from "./to-live-tool.ts";

type Turn = Row<"run_turns">;

export interface RunTimelineProps {
  readonly run: Run;
  readonly turns: readonly Turn[];
  readonly calls: readonly ToolCall[];
  readonly answers: readonly Answer[];
}

/** The turns of a run, from the question to its end. */
export function RunTimeline({ run, turns, calls, answers }: RunTimelineProps) {
  const items: TimelineItem[] = [
    {
      key: "asked",
      title: "Asked",
      icon: <MessageSquare />,
      trailing: <RelativeTime at={run.created_at} />,
      ...(waitOf(run) > 1_000 && {
        children: <p className="text-sm text-ink-soft">Queued for {formatDuration(waitOf(run))}.</p>,
      }),
    },
    ...turns.map((turn) => ({
      key: turn.id,
      title: <TurnTitle turn={turn} />,
      tone: toneOf(turn.status),
      icon: turn.status === "failed" ? <TriangleAlert /> : <Bot />,
      trailing: turn.duration_ms !== null && formatDuration(turn.duration_ms),
      children: (
        <TurnBody
          run={run}
          turn={turn}
          calls={calls.filter(({ turn_id: id }) => id === turn.id)}
          answer={answers.find(({ id }) => id === turn.message_id)}
        />
      ),
    })),
    ...listHiddenTurns({ turns, calls, answers }).map((turnId) => ({
      key: turnId,
      title: "Answer",
      icon: <Bot />,
      children: (
        <TurnBody
          run={run}
          turn={null}
          calls={calls.filter(({ turn_id: id }) => id === turnId)}
          answer={answers.find(({ turn_id: id }) => id === turnId)}
        />
      ),
    })),
    ...(hasEnded(run)
      ? [
          {
            key: "ended",
            title: "Ended",
            icon: <Flag />,
            tone: run.status === "failed" ? ("bad" as const) : ("neutral" as const),
            trailing: run.finished_at !== null && <RelativeTime at={run.finished_at} />,
          },
        ]
      : []),
  ];
  return (
    <section className="rounded-lg border border-line bg-surface p-4 shadow-1 sm:p-5">
      <h2 className="mb-4 text-lg font-semibold">Timeline</h2>
      <Timeline label="Timeline" items={items} />
    </section>
  );
}

/** The turns of agents that the user asks by a grant: their rows are not shown, what they said and did is. */
function listHiddenTurns({ turns, calls, answers }: Omit<RunTimelineProps, "run">): readonly string[] {
  const known = new Set(turns.map(({ id }) => id));
  const ids = [...calls, ...answers].flatMap(({ turn_id: id }) => (id === null || known.has(id) ? [] : [id]));
  return [...new Set(ids)];
}

function waitOf({ queued_at: from, started_at: until }: Run): number {
  return until === null ? 0 : Date.parse(until) - Date.parse(from);
}

function TurnTitle({ turn }: { readonly turn: Turn }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      {turn.agent_name}
      <span className="font-mono text-sm font-normal text-ink-faint">{turn.model}</span>
      {turn.status !== "completed" && <StatusBadge status={turn.status} />}
    </span>
  );
}

interface TurnBodyProps {
  readonly run: Run;
  /** Null for one whose row is not shown. */
  readonly turn: Turn | null;
  readonly calls: readonly ToolCall[];
  readonly answer: Answer | undefined;
}

function TurnBody({ run, turn, calls, answer }: TurnBodyProps) {
  return (
    <div className="grid min-w-0 gap-2">
      {turn !== null &&
        listPassedOn(turn).map(({ title, text }) => (
          <p key={title} className="text-sm wrap-anywhere whitespace-pre-wrap text-ink-soft">
            {text === "" ? title : `${title}: ${text}`}
          </p>
        ))}
      <TurnTools
        tools={calls.map((call) => toLiveTool(call, run.pending_waits))}
        runId={run.id}
        agentName={turn?.agent_name ?? "The agent"}
      />
      {answer !== undefined && (
        <div className="max-h-72 overflow-y-auto rounded-md bg-sunken px-3 py-2">
          <Markdown text={answer.content ?? "*deleted*"} />
        </div>
      )}
      {turn === null ? (
        <p className="text-sm text-ink-faint">Only the owner of the agent sees more.</p>
      ) : (
        <>
          {turn.error !== null && <p className="text-sm text-bad">{toSentence(turn.error.message)}</p>}
          <Warnings turn={turn} />
          <TurnFigures turn={turn} />
        </>
      )}
    </div>
  );
}

/** Warnings of a turn: unsupported settings, messages beyond the context window. */
function Warnings({ turn }: { readonly turn: Turn }) {
  const texts = turn.warnings.flatMap(({ message }) => (typeof message === "string" ? [message] : []));
  if (texts.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm text-thinking">
      {texts.map((text) => (
        <li key={text} className="flex items-start gap-1.5">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {text}
        </li>
      ))}
    </ul>
  );
}

function TurnFigures({ turn }: { readonly turn: Turn }) {
  const first = turn.first_token_ms;
  const tokens = formatUsage(turn);
  const words = [
    tokens !== "" && `tokens: ${tokens}`,
    turn.cost_usd !== null && formatMoney(turn.cost_usd),
    turn.estimated && "estimated",
    first !== null && `first token after ${formatDuration(first)}`,
    turn.attempts > 1 && `${turn.attempts} attempts`,
    turn.finish_reason !== null && turn.finish_reason !== "stop" && `ended: ${turn.finish_reason}`,
  ].filter((word) => typeof word === "string");
  return words.length === 0 ? null : <p className="text-sm text-ink-faint tabular-nums">{words.join(" · ")}</p>;
}
