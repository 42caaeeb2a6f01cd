import { cancelEval, type EvalProgress, useEvalProgress } from "../../data/eval-runner.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { formatCount } from "../../components/formats.ts";
import { ProgressBar } from "../../components/progress-bar.tsx";

/** How far a run of this tab is, and why it failed. Nothing for other runs. */
export function RunProgress({ runId }: { readonly runId: string }) {
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
          Cancel the run
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
