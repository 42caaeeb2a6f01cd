import { lazy, Suspense, useEffect, useState } from "react";
import { useApprovals } from "../../data/approvals.ts";
import { getConfig } from "../../data/client.ts";
import { isSetUp, rememberSetUp, useFirstSteps } from "../../data/first-steps.ts";
import { useAnswerInvitation, useInvitations } from "../../data/invitations.ts";
import { useRecentRuns } from "../../data/recent-runs.ts";
import { useUser } from "../../data/session.ts";
import { useWebhookSummaries } from "../../data/webhook-summaries.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { InvitationList } from "../../components/invitation-list.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ListSkeleton, Skeleton } from "../../components/skeleton.tsx";
import { Attention, isFailing } from "./attention.tsx";
import { Checklist, listSteps } from "./checklist.tsx";
import { NextPages } from "./next-pages.tsx";
import { RecentConversations } from "./recent-conversations.tsx";
import { Today } from "./today.tsx";
import { UnderWay } from "./under-way.tsx";

// Only whoever reaches a service without a model on its own machine needs it.
const ConnectModel = lazy(async () => ({ default: (await import("./connect-model.tsx")).ConnectModel }));

/** The first steps of a new user; a dashboard as soon as there is a swarm, or a webhook fails. */
export function HomePage() {
  const user = useUser();
  const [wasSetUp, setSetUp] = useState(() => isSetUp(user.id));
  // Stays after a key is stored, so that the section can say so.
  const [isModelOffered] = useState(() => getConfig().mayAddProvider);
  const webhooks = useWebhookSummaries();
  const steps = useFirstSteps({ isOn: !wasSetUp, webhooks: webhooks.rows });
  const isAllDone = wasSetUp || (steps.rows !== undefined && listSteps(steps.rows).every(({ isDone }) => isDone));
  useEffect(() => {
    if (isAllDone) rememberSetUp(user.id);
  }, [isAllDone, user.id]);
  const fullName: unknown = user.user_metadata["full_name"];
  const firstName = typeof fullName === "string" ? fullName.trim().split(/\s+/)[0] : undefined;
  const welcome = wasSetUp ? "Welcome back" : "Welcome";
  const failure = steps.failure ?? webhooks.failure;
  const hasSwarm = (steps.rows?.swarmId ?? null) !== null;
  const isDashboard = isAllDone || hasSwarm || webhooks.rows?.some(isFailing) === true;
  return (
    <>
      <PageHeader
        title={firstName === undefined || firstName === "" ? welcome : `${welcome}, ${firstName}`}
        {...(!wasSetUp && {
          description: "Agents that talk with you and with each other, in conversations that you can watch live.",
        })}
      />
      <div className="grid grid-cols-1 gap-6">
        <Invitations />
        {isModelOffered && (
          <Suspense fallback={null}>
            <ConnectModel />
          </Suspense>
        )}
        {isDashboard && <Dashboard webhooks={webhooks.rows ?? []} />}
        {!isAllDone &&
          (steps.rows !== undefined ? (
            <Checklist
              steps={steps.rows}
              onHide={() => {
                rememberSetUp(user.id);
                setSetUp(true);
              }}
            />
          ) : failure !== null ? (
            <FailureState
              title="Your first steps could not be loaded"
              message={failure.message}
              onRetry={() => {
                steps.reload();
                webhooks.reload();
              }}
            />
          ) : (
            <ListSkeleton rows={7} />
          ))}
        {!isAllDone && <NextPages />}
      </div>
    </>
  );
}

function Invitations() {
  const { rows = [] } = useInvitations();
  const answer = useAnswerInvitation();
  return (
    <InvitationList
      invitations={rows}
      onAnswer={async ({ id }, isAccepted) => (await answer.run({ id, isAccepted })) !== null}
    />
  );
}

function Dashboard({ webhooks }: { readonly webhooks: NonNullable<ReturnType<typeof useWebhookSummaries>["rows"]> }) {
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
