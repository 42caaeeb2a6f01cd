import { type Approval, useApprovals } from "../../data/approvals.ts";
import { useDecision } from "../../data/runs.ts";
import type { Trace } from "../../data/traces.ts";
import { ApprovalCard } from "../../components/approval-card.tsx";
import { CardSection } from "../../components/card.tsx";
import { keepLineBreaks } from "../../components/keep-line-breaks.ts";
import { Markdown } from "../../components/markdown.tsx";

/** What was asked and answered so far, and the calls of tools that wait for a decision of the user. */
export function RunConversation({ trace: { id: runId, question, answers } }: { readonly trace: Trace }) {
  const { rows: approvals = [] } = useApprovals();
  const said = [
    ...(question === null ? [] : [{ ...question, id: "question", content: keepLineBreaks(question.content ?? "") }]),
    ...answers,
  ];
  return (
    <div className="mb-5 grid grid-cols-1 gap-3">
      {said.length > 0 && (
        <CardSection title="Conversation">
          <ol aria-label="Conversation" className="grid grid-cols-1 gap-4">
            {said.map(({ id, sender_name: name, content }) => (
              <li key={id} className="grid grid-cols-1 gap-1">
                <p className="text-sm font-medium wrap-anywhere text-ink-faint">{name}</p>
                <div className="max-h-72 overflow-y-auto" tabIndex={0}>
                  <Markdown text={content || "*deleted*"} />
                </div>
              </li>
            ))}
          </ol>
        </CardSection>
      )}
      {approvals
        .filter((approval) => approval.runId === runId)
        .map((approval) => (
          // A call can ask again, and each question is a form of its own.
          <OneApproval key={[approval.id, approval.question?.id, approval.expiresAt].join(" ")} approval={approval} />
        ))}
    </div>
  );
}

function OneApproval({ approval }: { readonly approval: Approval }) {
  const decision = useDecision({ runId: approval.runId, toolExecutionId: approval.id });
  return <ApprovalCard {...approval} decision={decision} />;
}
