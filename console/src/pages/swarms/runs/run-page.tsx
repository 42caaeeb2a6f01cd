import { ChevronLeft } from "lucide-react";
import { useParams } from "react-router";
import { hasEnded } from "../../../data/live-run.ts";
import { type Run, useAnswers, useCancelRun, useRun, useToolCalls, useTurns } from "../../../data/runs.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { FailureState } from "../../../components/failure-state.tsx";
import { formatCount, formatDuration } from "../../../components/formats.ts";
import { ButtonLink, Link } from "../../../components/link.tsx";
import { keepLineBreaks } from "../../../components/keep-line-breaks.ts";
import { Markdown } from "../../../components/markdown.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { durationOf, STOP_LABELS } from "../../../components/run-labels.ts";
import { PageSkeleton } from "../../../components/skeleton.tsx";
import { Stat } from "../../../components/stat.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { StopButton } from "../../../components/stop-button.tsx";
import { UsageStats } from "../../../components/usage-stats.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { toSentence } from "../../../components/to-sentence.ts";
import { STRATEGY_LABELS } from "../labels.ts";
import { RunTimeline } from "./run-timeline.tsx";

export function RunPage() {
  const { runId = "" } = useParams();
  const { swarm } = useSwarmContext();
  const { rows: run, failure, reload } = useRun(runId);
  return (
    <div className="mx-auto grid w-full max-w-4xl gap-5 px-4 py-6 pb-28 sm:px-6 lg:pb-16">
      <Link to={`/swarms/${swarm.id}/runs`} className="flex items-center gap-1 justify-self-start text-sm">
        <ChevronLeft className="size-4" aria-hidden />
        All runs
      </Link>
      {run === undefined && failure === null && <PageSkeleton />}
      {run === undefined && failure !== null && failure.status !== 400 && (
        <FailureState title="The run could not be loaded" message={failure.message} onRetry={reload} />
      )}
      {(run === null || failure?.status === 400) && (
        <EmptyState
          picture="lost"
          title="Run not found"
          action={<ButtonLink to={`/swarms/${swarm.id}/runs`}>All runs</ButtonLink>}
        >
          It does not exist or belongs to another swarm.
        </EmptyState>
      )}
      {run !== undefined && run !== null && <OpenRun key={run.id} run={run} />}
    </div>
  );
}

function OpenRun({ run }: { readonly run: Run }) {
  const { swarm } = useSwarmContext();
  const turns = useTurns(run.id);
  const calls = useToolCalls(run.id);
  const answers = useAnswers(run.id);
  const failure = turns.failure ?? calls.failure;
  return (
    <>
      <section
        aria-label="Question"
        className="grid gap-3 rounded-lg border border-line bg-surface p-4 shadow-1 sm:p-5"
      >
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <StatusBadge status={run.status} />
            <span className="text-sm text-ink-faint">
              <RelativeTime at={run.created_at} /> · {STRATEGY_LABELS[run.strategy].label}
            </span>
          </div>
          <div className="flex flex-wrap gap-2">
            <ButtonLink size="small" to={`/runs/${run.id}`}>
              Trace
            </ButtonLink>
            {run.message_id !== null && (
              <ButtonLink size="small" to={`/swarms/${swarm.id}?message=${run.message_id}`}>
                In the conversation
              </ButtonLink>
            )}
            {!hasEnded(run) && <StopRun runId={run.id} />}
          </div>
        </div>
        <div className="grid gap-1">
          <h2 className="text-sm font-medium text-ink-faint">{run.question?.sender_name ?? "Someone"} asked</h2>
          <div className="max-h-60 overflow-y-auto">
            <Markdown text={keepLineBreaks(run.question?.content ?? "*deleted*")} />
          </div>
        </div>
        <p className="border-t border-line pt-3 text-pretty text-ink-soft">
          {run.stop_reason === null ? "The run is in progress." : STOP_LABELS[run.stop_reason]}
          {run.error !== null && <span className="text-bad"> {toSentence(run.error.message)}</span>}
        </p>
      </section>
      <Figures run={run} />
      {failure !== null && (
        <FailureState
          title="The turns could not be loaded"
          message={failure.message}
          onRetry={() => (turns.reload(), calls.reload())}
        />
      )}
      {(turns.rows === undefined || calls.rows === undefined) && failure === null && <PageSkeleton />}
      {turns.rows !== undefined && calls.rows !== undefined && (
        <RunTimeline run={run} turns={turns.rows} calls={calls.rows} answers={answers.rows ?? []} />
      )}
    </>
  );
}

function Figures({ run }: { readonly run: Run }) {
  const { usage, turn_count: turns } = run;
  const took = durationOf(run);
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Stat label="Turns" value={formatCount(turns)} />
      <UsageStats usage={usage} />
      <Stat label="Duration" value={took === null ? "–" : formatDuration(took)} />
    </div>
  );
}

function StopRun({ runId }: { readonly runId: string }) {
  const { run, isBusy } = useCancelRun();
  return <StopButton size="small" isBusy={isBusy} onStop={async () => (await run(runId)) !== null} />;
}
