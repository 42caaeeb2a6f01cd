import { CircleStop, RotateCcw, TriangleAlert } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Link } from "../../../components/link.tsx";
import { toSentence } from "../to-sentence.ts";
import { STOP_WORDS } from "../words.ts";
import type { RunEnd } from "./list-items.ts";
import { useMessageActions } from "./message-actions.tsx";
import { useRoom } from "./room-context.ts";

/** Why a run ended before everybody had answered, and the way to try it once more. Stays in the conversation. */
export function RunEndView({ end }: { readonly end: RunEnd }) {
  const { swarm, rights } = useRoom();
  const { askAgain } = useMessageActions();
  const { runId, status, stopReason, faults, hasQuestion } = end;
  const isBad = status === "failed" || status === "partial";
  const Icon = isBad ? TriangleAlert : CircleStop;
  const reason = stopReason === null ? "The run has ended." : STOP_WORDS[stopReason];
  return (
    <div className="mx-auto max-w-3xl px-4 py-2 sm:px-6">
      <div className="flex items-start gap-2 pl-12 text-sm text-ink-soft">
        <Icon className={`mt-0.5 size-4 shrink-0 ${isBad ? "text-bad" : "text-ink-faint"}`} aria-hidden />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
          <p className="min-w-0 text-pretty wrap-anywhere">
            {[reason, ...faults.map(toSentence)].join(" ")}{" "}
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
