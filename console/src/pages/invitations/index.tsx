import { useParams } from "react-router";
import { useAnswerInvitation, useInvitations } from "../../data/invitations.ts";
import { useUser } from "../../data/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { InvitationList } from "../../components/invitation-list.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";

/** The page of an invitation mail: `/invitations/<swarm id>`. The link itself grants nothing. */
export function InvitationsPage() {
  const { "*": swarmId = "" } = useParams();
  const { email = "" } = useUser();
  const { rows, failure, reload } = useInvitations();
  const answer = useAnswerInvitation();
  const invitations = rows?.filter(({ swarm_id: id }) => swarmId === "" || id === swarmId);
  return (
    <>
      <PageHeader
        title={swarmId === "" ? "Invitations" : "Invitation"}
        description={`You are signed in as ${email}.`}
      />
      {invitations === undefined ? (
        failure === null ? (
          <ListSkeleton rows={1} />
        ) : (
          <FailureState title="The invitation could not be loaded" message={failure.message} onRetry={reload} />
        )
      ) : invitations.length === 0 ? (
        <EmptyState
          picture="mail"
          title="No open invitation"
          action={
            <ButtonLink to="/swarms" variant="primary">
              Go to your swarms
            </ButtonLink>
          }
        >
          It was answered or withdrawn, or it is for another address. Sign in with the address that received the mail.
        </EmptyState>
      ) : (
        <InvitationList
          invitations={invitations}
          onAnswer={async ({ id }, isAccepted) => (await answer.run({ id, isAccepted })) !== null}
        />
      )}
    </>
  );
}
