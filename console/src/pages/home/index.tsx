import { lazy, Suspense, useEffect, useState } from "react";
import { getConfig } from "../../data/client.ts";
import { areAllDone, isSetUp, rememberSetUp, useFirstSteps } from "../../data/first-steps.ts";
import { useAnswerInvitation, useInvitations } from "../../data/invitations.ts";
import { useUser } from "../../data/session.ts";
import { isFailing, useWebhookSummaries } from "../../data/webhook-summaries.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";

// One user needs the list, and another the dashboard and invitations.
const Checklist = lazy(async () => ({ default: (await import("./checklist.tsx")).Checklist }));
const InvitationList = lazy(async () => ({
  default: (await import("../../components/invitation-list.tsx")).InvitationList,
}));
const Dashboard = lazy(async () => ({ default: (await import("./dashboard.tsx")).Dashboard }));
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
  const isAllDone = wasSetUp || (steps.rows !== undefined && areAllDone(steps.rows));
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
        {isDashboard && (
          <Suspense fallback={<ListSkeleton rows={7} />}>
            <Dashboard webhooks={webhooks.rows ?? []} />
          </Suspense>
        )}
        {!isAllDone &&
          (steps.rows !== undefined ? (
            <Suspense fallback={<ListSkeleton rows={7} />}>
              <Checklist
                steps={steps.rows}
                onHide={() => {
                  rememberSetUp(user.id);
                  setSetUp(true);
                }}
              />
            </Suspense>
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
      </div>
    </>
  );
}

function Invitations() {
  const { rows = [] } = useInvitations();
  const answer = useAnswerInvitation();
  if (rows.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <InvitationList
        invitations={rows}
        onAnswer={async ({ id }, isAccepted) => (await answer.run({ id, isAccepted })) !== null}
      />
    </Suspense>
  );
}
