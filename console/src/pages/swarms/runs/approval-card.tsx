import { ShieldQuestion } from "lucide-react";
import { useEffect, useState } from "react";
import { type Decider, useApprovals, useDecider } from "../../../data/approvals.ts";
import type { LiveTool } from "../../../data/live-run.ts";
import { useDecision } from "../../../data/runs.ts";
import { DecisionForm } from "../../../components/decision-form.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { JsonView } from "../../../components/json-view.tsx";
import { ToolLines } from "../../../components/tool-lines.tsx";

export interface TurnToolsProps {
  readonly tools: readonly LiveTool[];
  readonly runId: string;
  readonly agentName: string;
}

/** The tool calls of a turn: those that wait for a decision apart from the others. */
export function TurnTools({ tools, ...turn }: TurnToolsProps) {
  const asking = tools.filter(({ status }) => status === "pending_approval");
  return (
    <>
      <ToolLines tools={tools.filter((tool) => !asking.includes(tool))} />
      {asking.map((tool) => (
        // A call can ask again, and each question is a form of its own.
        <ApprovalCard key={[tool.id, tool.question?.id, tool.expiresAt].join(" ")} tool={tool} {...turn} />
      ))}
    </>
  );
}

interface ApprovalCardProps {
  readonly runId: string;
  readonly tool: LiveTool;
  readonly agentName: string;
}

/** A tool call that waits for approval, or for an answer. Whoever approves the calls of the agent decides, once. */
function ApprovalCard({ runId, tool, agentName }: ApprovalCardProps) {
  const { id: toolExecutionId, name: toolName, expiresAt } = tool;
  const { rows: approvals } = useApprovals();
  const mine = approvals?.find(({ id }) => id === toolExecutionId);
  // The stream of a run shows all people the same, so it may lack what only the one who decides may see.
  const input = mine?.input ?? tool.input;
  const question = mine?.question ?? tool.question;
  const decider = useDecider(toolExecutionId, approvals !== undefined && mine === undefined);
  const decision = useDecision({ runId, toolExecutionId });
  const left = useTimeLeft(expiresAt);
  const isExpired = (left ?? 0) <= 0;
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
      {mine !== undefined ? (
        <DecisionForm question={question} isDisabled={isExpired} {...decision} />
      ) : (
        <p className="text-sm wrap-anywhere text-ink-soft">
          {describeDecider(decider, agentName)} {question === null ? "decides" : "answers"}.
        </p>
      )}
    </section>
  );
}

function describeDecider(decider: Decider, agentName: string): string {
  if (decider.kind === "asker") return `${decider.name}, who asked,`;
  return decider.kind === "owner" ? `The owner of ${agentName}` : "Somebody else";
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
