import { Square } from "lucide-react";
import { useMemo } from "react";
import { hasEnded, type LiveRun } from "../../../data/live-run.ts";
import { useCancelRun } from "../../../data/runs.ts";
import { Button } from "../../../components/button.tsx";
import { useCommands } from "../../../components/commands.tsx";
import { describeWaiting } from "../../../components/describe-waiting.ts";
import { StatusDot } from "../../../components/status-dot.tsx";
import { useToast } from "../../../components/toast.tsx";
import { useSwarmContext } from "./swarm-context.ts";

/** The agents that are responding, and the stop button. Its height is constant, so that the layout does not move. */
export function RunStrip({ runs }: { readonly runs: readonly LiveRun[] }) {
  const { rights } = useSwarmContext();
  const live = runs.filter((run) => !hasEnded(run));
  const stop = useStop(live);
  const words = describeActivity(live);
  return (
    <div role="status" className="flex h-9 items-center gap-2 text-sm text-ink-soft">
      {words !== null && (
        <>
          <StatusDot status={words.status} />
          <span className="min-w-0 flex-1 truncate">{words.text}</span>
          {rights.canWrite && (
            <Button size="small" icon={<Square className="size-3! fill-current" />} onClick={stop}>
              Stop
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function describeActivity(
  live: readonly LiveRun[],
): { status: "queued" | "thinking" | "responding" | "requires_action" | "waiting"; text: string } | null {
  if (live.length === 0) return null;
  const waiting = live.filter(({ status }) => status === "queued").length;
  const more = waiting === 0 ? "" : ` · ${waiting} ${waiting === 1 ? "question is queued" : "questions are queued"}`;
  const turns = live
    .filter(({ status }) => status === "running")
    .flatMap((run) => run.turns)
    .filter(({ status }) => status === "thinking" || status === "responding");
  if (turns.length > 0) {
    const names = [...new Set(turns.map(({ agentName }) => agentName))].join(", ");
    const isWriting = turns.some(({ status }) => status === "responding");
    const verb = `${names.includes(",") ? "are" : "is"} ${isWriting ? "responding" : "thinking"}`;
    return { status: isWriting ? "responding" : "thinking", text: `${names} ${verb}${more}` };
  }
  for (const status of ["requires_action", "waiting"] as const) {
    const paused = live.filter((run) => run.status === status).flatMap((run) => run.turns);
    if (paused.length === 0) continue;
    const cause = describeWaiting(paused.map(({ agentName, tools }) => ({ agentName, calls: tools })));
    return { status, text: `${cause === "" ? "Waiting" : cause}${more}` };
  }
  if (waiting === live.length) return { status: "queued", text: "Queued" };
  return { status: "thinking", text: `Working${more}` };
}

/** Cancels the running run, or else the oldest queued one. */
function useStop(live: readonly LiveRun[]): () => void {
  const { run: cancel } = useCancelRun();
  const show = useToast();
  const target = live.find(({ status }) => status === "running") ?? live[0];
  const runId = target?.id;
  const stop = useMemo(
    () => () => {
      if (runId === undefined) return;
      void cancel(runId).then((done) => done === null && show({ text: "The run could not be stopped.", tone: "bad" }));
    },
    [runId, cancel, show],
  );
  useCommands(
    runId === undefined
      ? []
      : [{ id: "swarm.stop", label: "Stop the run", group: "This swarm", icon: <Square />, keys: "s", run: stop }],
  );
  return stop;
}
