import { useApprovals } from "../../data/approvals.ts";
import { useInvitations } from "../../data/invitations.ts";
import { useRecentRuns } from "../../data/recent-runs.ts";
import type { useWebhookSummaries } from "../../data/webhook-summaries.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Attention } from "./attention.tsx";
import { RecentConversations } from "./recent-conversations.tsx";
import { Today } from "./today.tsx";
import { UnderWay } from "./under-way.tsx";

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
