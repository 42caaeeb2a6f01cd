import { ShieldQuestion } from "lucide-react";
import { useEffect, useState } from "react";
import { DecisionForm, type DecisionFormProps } from "./decision-form.tsx";
import { formatDuration } from "./formats.ts";
import { JsonView } from "./json-view.tsx";

interface ApprovalCardProps extends Pick<DecisionFormProps, "question"> {
  readonly toolName: string;
  readonly agentName: string;
  /** Null or undefined for people who may not see it. */
  readonly input: unknown;
  readonly expiresAt: string | null;
  /** Null means that somebody else decides. */
  readonly decision: Omit<DecisionFormProps, "question" | "isDisabled"> | null;
  /** "The owner of Ada", where the user does not decide. */
  readonly decider?: string;
}

/** A tool call that waits for approval, or for an answer. Whoever approves the calls of the agent decides, once. */
export function ApprovalCard(props: ApprovalCardProps) {
  const { toolName, agentName, input, question, expiresAt, decision, decider = "Somebody else" } = props;
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
      {decision !== null ? (
        <DecisionForm question={question} isDisabled={isExpired} {...decision} />
      ) : (
        <p className="text-sm wrap-anywhere text-ink-soft">
          {decider} {question === null ? "decides" : "answers"}.
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
