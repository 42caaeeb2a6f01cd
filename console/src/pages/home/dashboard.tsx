import { Activity } from "lucide-react";
import { useApprovals } from "../../data/approvals.ts";
import { useInvitations } from "../../data/invitations.ts";
import { type RecentRun, useRecentRuns } from "../../data/recent-runs.ts";
import type { useWebhookSummaries } from "../../data/webhook-summaries.ts";
import { useRecentConversations } from "../../data/recent-conversations.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Avatar } from "../../components/avatar.tsx";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";
import { StatusBadge } from "../../components/status-dot.tsx";
import { Attention } from "./attention.tsx";
import { Today } from "./today.tsx";
import { Panel } from "./panel.tsx";

const MAX_LISTED = 6;
const PREVIEW = 160;

export function Dashboard({
  webhooks,
}: {
  readonly webhooks: NonNullable<ReturnType<typeof useWebhookSummaries>["rows"]>;
}) {
  const { rows: approvals } = useApprovals();
  const { rows: invitations = [] } = useInvitations();
  const { rows: runs, failure, reload } = useRecentRuns();
  const needsUser = new Set(approvals?.map(({ runId }) => runId));
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(16rem,1fr)]">
      <div className="grid grid-cols-1 gap-6">
        {runs !== undefined && approvals !== undefined ? (
          <>
            <Attention
              approvals={approvals}
              webhooks={webhooks}
              failedRuns={runs.failed}
              hasInvitations={invitations.length > 0}
            />
            <UnderWay runs={runs.underWay} needsUser={needsUser} />
          </>
        ) : failure !== null ? (
          <FailureState title="The runs could not be loaded" message={failure.message} onRetry={reload} />
        ) : (
          <Skeleton className="h-56 rounded-lg" />
        )}
        <RecentConversations />
      </div>
      <Today />
    </div>
  );
}

/** The swarms with the newest messages; renders nothing if there are none. */
function RecentConversations() {
  const { rows } = useRecentConversations();
  if (rows === undefined) return <Skeleton className="h-40 rounded-lg" />;
  if (rows.length === 0) return null;
  return (
    <Panel title="Recent conversations" id="recent" more={{ to: "/swarms", label: "All swarms" }}>
      <ul>
        {rows.map(({ swarmId, name, sender, content, at }) => (
          <li
            key={swarmId}
            className="relative flex items-center gap-4 border-b border-line px-5 py-3 last:border-b-0 hover:bg-hover"
          >
            <Avatar name={name} seed={swarmId} shape="agent" />
            <div className="grid min-w-0 flex-1">
              <Link to={`/swarms/${swarmId}`} className="truncate text-ink! before:absolute before:inset-0">
                {name}
              </Link>
              <span dir="auto" className="truncate text-sm text-ink-soft">
                {sender === null ? "" : `${sender}: `}
                {toPlainLine(content, PREVIEW)}
              </span>
            </div>
            <span className="relative shrink-0 text-sm text-ink-faint">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface UnderWayProps {
  readonly runs: readonly RecentRun[];
  /** The runs with a tool call that waits for the user. */
  readonly needsUser: ReadonlySet<string>;
}

/** The runs that agents work on now. */
function UnderWay({ runs, needsUser }: UnderWayProps) {
  return (
    <Panel title="Happening now" id="under-way" more={{ to: "/events", label: "Live events" }}>
      {runs.length === 0 ? (
        <p className="flex items-center gap-2.5 px-5 py-4 text-ink-soft">
          <Activity className="size-4.5 shrink-0 text-ink-faint" aria-hidden />
          No agent is working. A question in any of your swarms starts a run, which appears here while it lasts.
        </p>
      ) : (
        <ul>
          {runs.slice(0, MAX_LISTED).map(({ id, status, swarms, question, created_at: at }) => (
            <li
              key={id}
              className="relative flex items-center gap-3 border-b border-line px-5 py-3 last:border-b-0 hover:bg-hover"
            >
              <div className="grid min-w-0 flex-1">
                <Link to={`/runs/${id}`} className="truncate text-ink! before:absolute before:inset-0">
                  {swarms.name}
                </Link>
                <span dir="auto" className="truncate text-sm text-ink-soft">
                  {toPlainLine(question?.content ?? "")}
                </span>
              </div>
              {status === "requires_action" && !needsUser.has(id) ? (
                <StatusBadge status="queued" word="Waiting" />
              ) : (
                <StatusBadge status={status} />
              )}
              <span className="relative shrink-0 text-sm text-ink-faint max-sm:hidden">
                <RelativeTime at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
