import { useEvalDataset } from "../../data/eval-datasets.ts";
import { type EvalRun, useEvalRun } from "../../data/eval-runs.ts";
import { cancelEval, type EvalProgress, useEvalProgress } from "../../data/eval-runner.ts";
import { formatCount } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Stat } from "../../components/stat.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { ProgressBar } from "../../components/progress-bar.tsx";
import { EvalResultList } from "./eval-result-list.tsx";
import { nameRun } from "./name-run.ts";

interface EvalRunPageProps {
  readonly datasetId: string;
  readonly runId: string;
}

export function EvalRunPage({ datasetId, runId }: EvalRunPageProps) {
  const dataset = useEvalDataset(datasetId);
  const run = useEvalRun(runId);
  if (dataset.rows === undefined) return <PageNotLoaded noun="dataset" read={dataset} />;
  if (run.rows === undefined) return <PageNotLoaded noun="eval run" read={run} />;
  return (
    <>
      <PageHeader
        title={nameRun(run.rows)}
        description={<RelativeTime at={run.rows.created_at} />}
        crumbs={[
          { label: "Evals", to: "/evals" },
          { label: dataset.rows.name, to: `/evals/${datasetId}` },
          { label: "Runs", to: `/evals/${datasetId}/runs` },
        ]}
        trailing={<StatusBadge status={run.rows.status} />}
      />
      <RunProgress runId={runId} />
      <Counts run={run.rows} />
      <EvalResultList run={run.rows} />
    </>
  );
}

function Counts({ run }: { readonly run: EvalRun }) {
  const {
    status,
    case_count: all,
    passed_count: passed,
    regression_count: regressions,
    baseline_run_id: baseline,
  } = run;
  // The counts are stored when the run is completed.
  const isCounted = status === "completed";
  return (
    <div className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Cases" value={formatCount(all)} />
      <Stat label="Passed" value={isCounted ? formatCount(passed) : "–"} />
      <Stat label="Failed" value={isCounted ? formatCount(all - passed) : "–"} />
      <Stat
        label="Regressions"
        value={isCounted && baseline !== null ? formatCount(regressions) : "–"}
        note={
          baseline === null ? (
            "Nothing to compare with"
          ) : (
            <>
              Compared with <Link to={`/evals/${run.dataset_id}/runs/${baseline}`}>an earlier run</Link>
            </>
          )
        }
      />
    </div>
  );
}

/** How far a run of this tab is, and why it failed. Nothing for other runs. */
function RunProgress({ runId }: { readonly runId: string }) {
  const progress = useEvalProgress(runId);
  if (progress === null) return null;
  if (progress.failure !== null)
    return (
      <div className="mb-6">
        <Banner tone="bad">The run failed: {progress.failure.message}</Banner>
      </div>
    );
  if (!progress.isRunning) return null;
  return (
    <Card className="mb-6 grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status">{describe(progress)}</p>
        <Button size="small" onClick={() => cancelEval(runId)}>
          Cancel run
        </Button>
      </div>
      <ProgressBar label="Cases" value={progress.done} max={progress.total} />
      <p className="text-sm text-ink-faint">The run stops when you close or reload this tab.</p>
    </Card>
  );
}

function describe({ done, total, waitSeconds }: EvalProgress): string {
  const count = `${formatCount(done)} of ${formatCount(total)} cases are done.`;
  return waitSeconds === 0 ? count : `${count} Waiting ${formatCount(waitSeconds)} s for the rate limit.`;
}
