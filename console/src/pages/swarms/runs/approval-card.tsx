import { Check, ShieldQuestion, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { LiveTool } from "../../../data/live-run.ts";
import { useDecide } from "../../../data/runs.ts";
import { Button } from "../../../components/button.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { JsonView } from "../../../components/json-view.tsx";
import { QuestionForm } from "../../../components/question-form.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";

/** A call can ask again, and each question is a form of its own. */
export function keyOfApproval({ id, question, expiresAt }: LiveTool): string {
  return [id, question?.id, expiresAt].join(" ");
}

export interface ApprovalCardProps {
  readonly runId: string;
  readonly tool: LiveTool;
  readonly agentName: string;
}

/** A tool call that waits for approval, or for an answer. The owner of the agent decides, once. */
export function ApprovalCard({ runId, tool, agentName }: ApprovalCardProps) {
  const { id: toolExecutionId, name: toolName, agentId, input, expiresAt, question } = tool;
  const { swarmAgents, userId } = useSwarmContext();
  const decide = useDecide();
  const [decided, setDecided] = useState<boolean | null>(null);
  const left = useTimeLeft(expiresAt);
  const isMine = (swarmAgents.rows ?? []).some(
    ({ agent_id: id, user_id: owner }) => id === agentId && owner === userId,
  );
  const isExpired = (left ?? 0) <= 0;
  const run = async (isApproved: boolean, content?: Readonly<Record<string, unknown>>) => {
    setDecided(isApproved);
    const decision = { runId, toolExecutionId, isApproved, ...(content !== undefined && { content }) };
    if ((await decide.run(decision)) === null) setDecided(null);
  };
  return (
    <section
      aria-label={question === null ? `Approval of ${toolName}` : `Question of ${toolName}`}
      className="my-1 grid gap-3 rounded-lg border border-thinking bg-thinking-soft p-3.5"
    >
      <div className="flex items-start gap-2.5">
        <ShieldQuestion className="mt-0.5 size-4.5 shrink-0 text-thinking" aria-hidden />
        <div className="grid min-w-0 gap-0.5">
          <p className="font-medium text-pretty">
            {question === null ? `${agentName} wants to use ` : "Question of the tool "}
            <span className="font-mono text-sm break-all">{toolName}</span>
            {question !== null && `, which ${agentName} uses`}
          </p>
          <p className="text-sm text-ink-soft tabular-nums">
            {isExpired
              ? "The time is over; the call is denied."
              : `Denied automatically in ${formatDuration(left ?? 0)}.`}
          </p>
        </div>
      </div>
      {input !== undefined && input !== null && <JsonView label="Input" value={input} />}
      {!isMine ? (
        <p className="text-sm text-ink-soft">
          The owner of {agentName} {question === null ? "decides" : "answers"}.
        </p>
      ) : question !== null ? (
        <QuestionForm
          message={question.message}
          schema={question.schema}
          pressed={decided === null ? null : decided ? "answer" : "decline"}
          isDisabled={isExpired}
          onAnswer={(content) => void run(true, content)}
          onDecline={() => void run(false)}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            size="small"
            variant="primary"
            icon={<Check />}
            isBusy={decided === true}
            disabled={decided !== null || isExpired}
            onClick={() => void run(true)}
          >
            Approve
          </Button>
          <Button
            size="small"
            icon={<X />}
            isBusy={decided === false}
            disabled={decided !== null || isExpired}
            onClick={() => void run(false)}
          >
            Deny
          </Button>
        </div>
      )}
      {decide.failure !== null && (
        <p role="alert" className="text-sm text-bad">
          {decide.failure.message}
        </p>
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
