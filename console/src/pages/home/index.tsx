import { type FirstSteps, useFirstSteps } from "../../data/first-steps.ts";
import { useAnswerInvitation, useInvitations } from "../../data/invitations.ts";
import { useUser } from "../../data/session.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { InvitationList } from "../../components/invitation-list.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { Checklist, listSteps } from "./checklist.tsx";
import { DisabledWebhooks } from "./disabled-webhooks.tsx";
import { RecentConversations } from "./recent-conversations.tsx";
import { WaysOn } from "./ways-on.tsx";

export function HomePage() {
  const { rows: steps, failure, reload } = useFirstSteps();
  const user = useUser();
  const fullName: unknown = user.user_metadata["full_name"];
  const firstName = typeof fullName === "string" ? fullName.trim().split(/\s+/)[0] : undefined;
  return (
    <>
      <PageHeader
        title={firstName === undefined || firstName === "" ? "Welcome" : `Welcome, ${firstName}`}
        description="Agents that talk with you and with each other, in rooms you can look into while they work."
      />
      <div className="grid grid-cols-1 gap-6">
        <DisabledWebhooks />
        <Invitations />
        {steps !== undefined ? (
          <Beginnings steps={steps} />
        ) : failure !== null ? (
          <FailureState title="Your first steps could not be loaded" message={failure.message} onRetry={reload} />
        ) : (
          <ListSkeleton rows={7} />
        )}
        <WaysOn />
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

/** Who has been through all of it finds what they were at; others find what comes next, and then that. */
function Beginnings({ steps }: { readonly steps: FirstSteps }) {
  const isAllDone = listSteps(steps).every(({ isDone }) => isDone);
  return (
    <>
      {!isAllDone && <Checklist steps={steps} />}
      {steps.swarmId !== null && <RecentConversations />}
    </>
  );
}
