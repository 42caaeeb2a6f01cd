import type { Json } from "@swarmbase/sdk";
import { Check, ShieldQuestion, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useDecide } from "../../../data/runs.ts";
import { Button } from "../../../components/button.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { JsonView } from "../../../components/json-view.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";

export interface ApprovalCardProps {
  readonly runId: string;
  readonly toolExecutionId: string;
  readonly toolName: string;
  readonly agentId: string | null;
  readonly agentName: string;
  readonly input: Json | null | undefined;
  readonly expiresAt: string | null;
}

/** A tool call that waits for approval. The owner of the agent decides, once. */
export function ApprovalCard(props: ApprovalCardProps) {
  const { runId, toolExecutionId, toolName, agentId, agentName, input, expiresAt } = props;
  const { swarmAgents, userId } = useSwarmContext();
  const decide = useDecide();
  const [decided, setDecided] = useState<boolean | null>(null);
  const left = useTimeLeft(expiresAt);
  const isMine = (swarmAgents.rows ?? []).some(
    ({ agent_id: id, user_id: owner }) => id === agentId && owner === userId,
  );
  const run = async (isApproved: boolean) => {
    setDecided(isApproved);
    if ((await decide.run({ runId, toolExecutionId, isApproved })) === null) setDecided(null);
  };
  return (
    <section
      aria-label={`Approval of ${toolName}`}
      className="my-1 grid gap-3 rounded-lg border border-thinking bg-thinking-soft p-3.5"
    >
      <div className="flex items-start gap-2.5">
        <ShieldQuestion className="mt-0.5 size-4.5 shrink-0 text-thinking" aria-hidden />
        <div className="grid min-w-0 gap-0.5">
          <p className="font-medium text-pretty">
            {agentName} wants to use <span className="font-mono text-sm break-all">{toolName}</span>
          </p>
          <p className="text-sm text-ink-soft tabular-nums">
            {left === null || left <= 0
              ? "The approval has expired; the call is denied."
              : `Denied automatically in ${formatDuration(left)}.`}
          </p>
        </div>
      </div>
      {input !== undefined && input !== null && <JsonView label="Input" value={input} />}
      {isMine ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            size="small"
            variant="primary"
            icon={<Check />}
            isBusy={decided === true}
            disabled={decided !== null || (left ?? 0) <= 0}
            onClick={() => void run(true)}
          >
            Approve
          </Button>
          <Button
            size="small"
            icon={<X />}
            isBusy={decided === false}
            disabled={decided !== null || (left ?? 0) <= 0}
            onClick={() => void run(false)}
          >
            Deny
          </Button>
          {decide.failure !== null && (
            <span role="alert" className="text-sm text-bad">
              {decide.failure.message}
            </span>
          )}
        </div>
      ) : (
        <p className="text-sm text-ink-soft">The owner of {agentName} decides.</p>
      )}
    </section>
  );
}

const SECOND_MS = 1_000;

function useTimeLeft(until: string | null): number | null {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (until === null) return;
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [until]);
  return until === null ? null : Math.max(0, Math.floor((Date.parse(until) - now) / SECOND_MS) * SECOND_MS);
}
