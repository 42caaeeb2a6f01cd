import { BellRing, GitCompareArrows, MessagesSquare, RotateCcw } from "lucide-react";
import { useCallback, useState } from "react";
import { useNavigate } from "react-router";
import type { Json } from "@swarmbase/sdk";
import { hasEnded } from "../../data/live-run.ts";
import { useCancelRun, useSendSignal } from "../../data/runs.ts";
import { type Trace, useAllRuns, useTraceTree } from "../../data/traces.ts";
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
import { Dialog } from "../../components/dialog.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Field } from "../../components/field.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Select } from "../../components/select.tsx";
import { layOutTrace, type Span } from "./lay-out-trace.ts";
import { PartDrawer } from "./part-drawer.tsx";
import { RunAgain } from "./run-again.tsx";
import { RunConversation } from "./run-conversation.tsx";
import { TaskTree } from "./task-tree.tsx";
import { Waterfall } from "./waterfall.tsx";

const NO_RANGE = { since: null, until: null };
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
                Send signal
              </Button>
            )}
            {trace.swarms !== null && trace.message_id !== null && (
              <ButtonLink to={`/swarms/${trace.swarm_id}?message=${trace.message_id}`} icon={<MessagesSquare />}>
                In the conversation
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
      <RunConversation trace={trace} />
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

/** Chooses the run of the same swarm to compare with. */
function ChooseOther({ trace, onClose }: { readonly trace: Trace; onClose(): void }) {
  const navigate = useNavigate();
  const filter = { equal: { swarm_id: trace.swarm_id }, range: NO_RANGE, search: "" };
  const { rows } = useAllRuns(filter, "newest");
  const others = rows?.filter(({ id }) => id !== trace.id);
  return (
    <Dialog isOpen onClose={onClose} title="Compare with" description="The newest runs of the same swarm.">
      {others === undefined && <ListSkeleton rows={4} />}
      {others?.length === 0 && (
        <p className="text-ink-soft">There is no other run in this swarm. “Run again” creates one to compare with.</p>
      )}
      <ul className="grid">
        {others?.map(({ id, question, status, created_at: at }) => (
          <li key={id} className="border-b border-line last:border-b-0">
            <button
              type="button"
              onClick={() => void navigate(`/runs/compare?a=${id}&b=${trace.id}`)}
              className="flex w-full flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-sm px-1 py-2.5 text-left hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{toPlainLine(question?.content ?? "Deleted")}</span>
              <span className="flex items-center gap-3 text-sm text-ink-faint">
                <RelativeTime at={at} />
                <StatusBadge status={status} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** The names of the events that calls of the run wait for. */
function listEvents({ pending_waits: waits }: Trace): readonly string[] {
  return [...new Set(waits?.flatMap(({ kind, name }) => (kind === "event" && name !== undefined ? [name] : [])))];
}

/** Sends what a call of the run waits for. */
function SendSignal({ trace, onClose }: { readonly trace: Trace; onClose(): void }) {
  const [names] = useState(() => listEvents(trace));
  const [name, setName] = useState(names[0] ?? "");
  const [data, setData] = useState<{ readonly parsed: unknown } | null>({ parsed: {} });
  const { run, isBusy, failure, errors } = useSendSignal(trace.id);
  const send = async () => {
    if (data !== null && (await run({ name, data: data.parsed as Json })) !== null) onClose();
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Send signal"
      description="It ends the wait. The agent reads the data as the result of its call."
      action="Send"
      isForm
      isBusy={isBusy}
      isDisabled={data === null}
      onAction={() => void send()}
    >
      <Field label="Event" error={errors["name"]}>
        <Select value={name} choices={names.map((value) => ({ value, label: value }))} onChange={setName} />
      </Field>
      <JsonEditor label="Data" value={{}} onChange={setData} error={errors["data"]} />
      {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
    </ActionDialog>
  );
}
