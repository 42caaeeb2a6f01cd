import { CircleStop, RotateCcw, TriangleAlert } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Link } from "../../../components/link.tsx";
import { STOP_LABELS } from "../../../components/run-labels.ts";
import { toSentence } from "../../../components/to-sentence.ts";
import type { RunEnd } from "./list-items.ts";
import { useMessageActions } from "./message-actions.tsx";
import { useSwarmContext } from "./swarm-context.ts";

/** Why a run ended before all agents had replied, with a button to ask again. */
export function RunEndView({ end }: { readonly end: RunEnd }) {
  const { swarm, rights } = useSwarmContext();
  const { askAgain } = useMessageActions();
  const { runId, status, stopReason, errorMessages, hasQuestion } = end;
  const isBad = status === "failed" || status === "partial";
  const Icon = isBad ? TriangleAlert : CircleStop;
  const reason = stopReason === null ? "The run has ended." : STOP_LABELS[stopReason];
  return (
    <div className="mx-auto max-w-3xl px-4 py-2 sm:px-6">
      <div className="flex items-start gap-2 pl-12 text-sm text-ink-soft">
        <Icon className={`mt-0.5 size-4 shrink-0 ${isBad ? "text-bad" : "text-ink-faint"}`} aria-hidden />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
          <p className="min-w-0 text-pretty wrap-anywhere">
            {[reason, ...errorMessages.map(toSentence)].join(" ")}{" "}
            <Link to={`/swarms/${swarm.id}/runs/${runId}`}>See the run</Link>
          </p>
          {hasQuestion && rights.canWrite && swarm.status === "active" && (
            <Button size="small" icon={<RotateCcw />} onClick={() => askAgain(runId)}>
              Ask again
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
