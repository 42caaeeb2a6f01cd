import { useAnswerInvitation, useInvitations } from "../../../data/invitations.ts";
import { InvitationList } from "../../../components/invitation-list.tsx";

export function Invitations() {
  const { rows = [] } = useInvitations();
  const answer = useAnswerInvitation();
  return (
    <div className="mb-5 empty:hidden">
      <InvitationList
        invitations={rows}
        onAnswer={async ({ id }, isAccepted) => (await answer.run({ id, isAccepted })) !== null}
      />
    </div>
  );
}
