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
import { NextPages } from "./next-pages.tsx";

export function HomePage() {
  const { rows: steps, failure, reload } = useFirstSteps();
  const user = useUser();
  const fullName: unknown = user.user_metadata["full_name"];
  const firstName = typeof fullName === "string" ? fullName.trim().split(/\s+/)[0] : undefined;
  return (
    <>
      <PageHeader
        title={firstName === undefined || firstName === "" ? "Welcome" : `Welcome, ${firstName}`}
        description="Agents that talk with you and with each other, in conversations that you can watch live."
      />
      <div className="grid grid-cols-1 gap-6">
        <DisabledWebhooks />
        <Invitations />
        {steps !== undefined ? (
          <Progress steps={steps} />
        ) : failure !== null ? (
          <FailureState title="Your first steps could not be loaded" message={failure.message} onRetry={reload} />
        ) : (
          <ListSkeleton rows={7} />
        )}
        <NextPages />
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

/** Shows the checklist until all steps are done, and the recent conversations. */
function Progress({ steps }: { readonly steps: FirstSteps }) {
  const isAllDone = listSteps(steps).every(({ isDone }) => isDone);
  return (
    <>
      {!isAllDone && <Checklist steps={steps} />}
      {steps.swarmId !== null && <RecentConversations />}
    </>
  );
}
