import { ShieldQuestion } from "lucide-react";
import { type Approval, useApprovals } from "../../data/approvals.ts";
import { useDecision } from "../../data/runs.ts";
import { DecisionForm } from "../../components/decision-form.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { ButtonLink, Link } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";

const QUOTED = 160;

/** The tool calls that wait for a decision of the user, in all swarms. */
export function ApprovalsPage() {
  const { rows, ...read } = useApprovals();
  return (
    <>
      <PageHeader
        title="Approvals"
        description="Tool calls that wait for your decision. Without one they are denied when their time is over."
      />
      {rows === undefined ? (
        <NotLoaded title="The approvals could not be loaded" read={read} skeleton={<ListSkeleton rows={2} />} />
      ) : rows.length === 0 ? (
        <EmptyState picture="tools" title="Nothing waits for you" action={<ButtonLink to="/tools">Tools</ButtonLink>}>
          A tool with “Require approval” waits here before each call, wherever an agent of yours uses it, and where you
          ask an agent whose owner leaves the decision to you, or whose tool acts for you. So does a tool that asks a
          question, or needs an account of yours.
        </EmptyState>
      ) : (
        <ul aria-label="Waiting tool calls" className="grid grid-cols-1 gap-4">
          {rows.map((approval) => (
            // A call can ask again, and each question is a form of its own.
            <li key={`${approval.id} ${approval.question?.id ?? ""} ${approval.expiresAt ?? ""}`}>
              <ApprovalItem approval={approval} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function ApprovalItem({ approval }: { readonly approval: Approval }) {
  const { id, runId, swarmId, swarmName, toolName, agentName, asked, input, question, createdAt, expiresAt } = approval;
  const decision = useDecision({ runId, toolExecutionId: id });
  return (
    <article
      aria-label={`${agentName}: ${toolName}`}
      className="grid min-w-0 grid-cols-1 gap-3 rounded-lg border border-thinking bg-surface p-4 shadow-1 sm:p-5"
    >
      <div className="flex items-start gap-3">
        <ShieldQuestion className="mt-0.5 size-5 shrink-0 text-thinking" aria-hidden />
        <div className="grid min-w-0 flex-1 gap-1">
          <h2 className="font-semibold wrap-anywhere">
            {question === null ? `${agentName} wants to use ` : `${agentName} uses a tool that asks you: `}
            <span className="font-mono text-sm">{toolName}</span>
          </h2>
          <p className="text-sm wrap-anywhere text-ink-soft">
            {swarmName === null ? (
              "In a private conversation of somebody who asks your agent"
            ) : (
              <>
                In <Link to={`/swarms/${swarmId}`}>{swarmName}</Link>
              </>
            )}
            , <RelativeTime at={createdAt} />
            {expiresAt !== null && (
              <>
                . Denied automatically <RelativeTime at={expiresAt} />.
              </>
            )}
          </p>
          {asked !== null && (
            <p className="text-sm wrap-anywhere text-ink-faint" dir="auto">
              {asked.by}: {toPlainLine(asked.text, QUOTED)}
            </p>
          )}
        </div>
        {swarmName !== null && (
          <Link to={`/runs/${runId}`} className="shrink-0 text-sm">
            View run
          </Link>
        )}
      </div>
      {input !== null && <JsonView label="Input" value={input} />}
      <DecisionForm question={question} {...decision} />
    </article>
  );
}
