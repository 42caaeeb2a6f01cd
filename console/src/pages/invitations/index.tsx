import { useLocation, useParams } from "react-router";
import { useAnswerInvitation, useInvitations, useSecretInvitation } from "../../data/invitations.ts";
import { useUser } from "../../data/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { InvitationList } from "../../components/invitation-list.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";

/** The page of an invitation: `/invitations/<swarm id>#secret=<secret>`. A user whose address is proven needs no secret. */
export function InvitationsPage() {
  const { "*": swarmId = "" } = useParams();
  const { hash } = useLocation();
  const { email = "" } = useUser();
  const secret = new URLSearchParams(hash.slice(1)).get("secret");
  const own = useInvitations();
  const linked = useSecretInvitation(secret);
  const answer = useAnswerInvitation();
  const isLinked = linked.rows !== undefined && linked.rows.length > 0;
  const { rows, ...read } = isLinked || (secret !== null && linked.rows === undefined) ? linked : own;
  const invitations = rows?.filter(({ swarm_id: id }) => swarmId === "" || id === swarmId);
  return (
    <>
      <PageHeader
        title={swarmId === "" ? "Invitations" : "Invitation"}
        description={`You are signed in as ${email}.`}
      />
      {invitations === undefined ? (
        <NotLoaded title="The invitation could not be loaded" read={read} skeleton={<ListSkeleton rows={1} />} />
      ) : invitations.length === 0 ? (
        <EmptyState
          picture="mail"
          title="No open invitation"
          action={
            <ButtonLink to="/swarms" variant="primary">
              Go to swarms
            </ButtonLink>
          }
        >
          It was answered or withdrawn, or it is for another address. Sign in with the invited address, and open the
          whole link that you received.
        </EmptyState>
      ) : (
        <InvitationList
          invitations={invitations}
          onAnswer={async ({ id }, isAccepted) =>
            (await answer.run({ id, isAccepted, secret: isLinked ? secret : null })) !== null
          }
        />
      )}
    </>
  );
}
