import { BellRing, GitCompareArrows, MessagesSquare, RotateCcw } from "lucide-react";
import { useCallback, useState } from "react";
import { hasEnded } from "../../data/live-run.ts";
import { useCancelRun } from "../../data/runs.ts";
import { type Trace, useTraceTree } from "../../data/traces.ts";
import { useInterval } from "../../data/use-interval.ts";
import { Button } from "../../components/button.tsx";
import { formatCount, formatDuration } from "../../components/formats.ts";
import { ButtonLink } from "../../components/link.tsx";
import { NoSuchRow, PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { durationOf, STOP_LABELS } from "../../components/run-labels.ts";
import { Stat } from "../../components/stat.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { describeWaiting } from "../../components/describe-waiting.ts";
import { StopButton } from "../../components/stop-button.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";
import { useAddress } from "../../components/use-address.ts";
import { UsageStats } from "../../components/usage-stats.tsx";
import { ChooseOther } from "./choose-other.tsx";
import { layOutTrace, type Span } from "./lay-out-trace.ts";
import { PartDrawer } from "./part-drawer.tsx";
import { RunAgain } from "./run-again.tsx";
import { listEvents, SendSignal } from "./send-signal.tsx";
import { TaskTree } from "./task-tree.tsx";
import { Waterfall } from "./waterfall.tsx";

const CRUMBS = [{ label: "Runs", to: "/runs" }];
const TITLE_LENGTH = 80;
const TICK_MS = 1_000;

export function TracePage({ id }: { readonly id: string }) {
  const read = useTraceTree(id);
  if (read.rows === undefined) return <PageNotLoaded noun="run" read={read} />;
  const trace = read.rows.find((row) => row.id === id);
  return trace === undefined ? <NoSuchRow noun="run" /> : <OpenTrace key={id} trace={trace} others={read.rows} />;
}

function OpenTrace({ trace, others }: { readonly trace: Trace; readonly others: readonly Trace[] }) {
  const { address, change } = useAddress();
  const [dialog, setDialog] = useState<"again" | "compare" | "signal" | null>(null);
  const nowMs = useNow(!hasEnded(trace));
  const spans = layOutTrace(trace, nowMs, others);
  const selected = address.get("part");
  const isSubTask = trace.request["source"] === "sub_task";
  const open = (key: string | null) => change({ part: key ?? "" });
  const question = trace.question?.content ?? null;
  // Those of agents that the user asks by a grant.
  const hasHiddenTurns = trace.turns.length < trace.turn_count;
  return (
    <>
      <PageHeader
        title={question === null ? "Run" : toTitle(question)}
        crumbs={CRUMBS}
        description={
          <>
            {isSubTask ? "A sub-task of another run began" : `${trace.question?.sender_name ?? "Someone"} asked `}
            {!isSubTask && (trace.swarms?.name ?? "a swarm")} <RelativeTime at={trace.created_at} />.{" "}
            {trace.stop_reason === null ? describeProgress(trace) : STOP_LABELS[trace.stop_reason]}
          </>
        }
        trailing={<StatusBadge status={trace.status} />}
        actions={
          <>
            {!hasEnded(trace) && <StopRun runId={trace.id} />}
            {listEvents(trace).length > 0 && (
              <Button icon={<BellRing />} onClick={() => setDialog("signal")}>
                Send a signal
              </Button>
            )}
            {trace.swarms !== null && (
              <ButtonLink to={`/swarms/${trace.swarm_id}/runs/${trace.id}`} icon={<MessagesSquare />}>
                In the swarm
              </ButtonLink>
            )}
            <Button icon={<GitCompareArrows />} onClick={() => setDialog("compare")}>
              Compare
            </Button>
            {trace.swarms !== null && !hasHiddenTurns && (
              <Button variant="primary" icon={<RotateCcw />} onClick={() => setDialog("again")}>
                Run again
              </Button>
            )}
          </>
        }
      />
      {trace.error !== null && (
        <p role="alert" className="mb-4 text-bad wrap-anywhere">
          {trace.error.code}: {trace.error.message}
        </p>
      )}
      <TraceFigures trace={trace} spans={spans} />
      {hasHiddenTurns && (
        <p className="mb-4 text-sm text-ink-soft">
          An agent of somebody else answered. Only its owner sees its turns and model calls.
        </p>
      )}
      {others.length > 1 && <TaskTree traces={others} currentId={trace.id} />}
      <Waterfall spans={spans} selected={selected} onSelect={open} />
      <PartDrawer span={spans.find(({ key }) => key === selected) ?? null} others={others} onClose={() => open(null)} />
      {dialog === "again" && <RunAgain trace={trace} onClose={() => setDialog(null)} />}
      {dialog === "signal" && <SendSignal trace={trace} onClose={() => setDialog(null)} />}
      {dialog === "compare" && <ChooseOther trace={trace} onClose={() => setDialog(null)} />}
    </>
  );
}

function describeProgress({ turns, pending_waits: waits }: Trace): string {
  const cause = describeWaiting(
    turns.map(({ agent_name: agentName, tool_executions: calls }) => ({
      agentName,
      calls: calls.map(({ id, tool_name: name, status, expires_at: expiresAt }) => {
        const wait = waits?.find(({ tool_execution_id: waitingId }) => waitingId === id) ?? null;
        return { name, status, expiresAt, wait };
      }),
    })),
  );
  return cause === "" ? "The run is in progress." : `${cause}.`;
}

/** The first line of the question. */
function toTitle(question: string): string {
  return toPlainLine(question.trim().split("\n")[0] ?? "", TITLE_LENGTH) || "Run";
}

/** The time, while bars grow. */
function useNow(isOn: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useInterval(
    TICK_MS,
    useCallback(() => setNowMs(Date.now()), []),
    isOn,
  );
  return nowMs;
}

function TraceFigures({ trace, spans }: { readonly trace: Trace; readonly spans: readonly Span[] }) {
  const { usage } = trace;
  const took = durationOf(trace);
  const queuedMs = spans[0]?.tookMs ?? 0;
  const calls = trace.turns.flatMap((turn) => turn.model_calls);
  const retries = calls.filter(({ attempt }) => attempt > 1).length;
  return (
    <div className="mb-5 grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Stat
        label="Duration"
        value={took === null ? "–" : formatDuration(took)}
        {...(queuedMs >= 1 && { note: `after ${formatDuration(queuedMs)} in the queue` })}
      />
      <Stat
        label="Model calls"
        value={formatCount(calls.length + trace.selections.length)}
        note={
          retries === 0
            ? `in ${formatCount(trace.turns.length)} ${trace.turns.length === 1 ? "turn" : "turns"}`
            : `${formatCount(retries)} ${retries === 1 ? "retry" : "retries"}`
        }
      />
      <UsageStats usage={usage} />
    </div>
  );
}

function StopRun({ runId }: { readonly runId: string }) {
  const { run, isBusy } = useCancelRun();
  return <StopButton isBusy={isBusy} onStop={async () => (await run(runId)) !== null} />;
}
