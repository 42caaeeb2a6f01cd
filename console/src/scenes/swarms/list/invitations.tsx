import { Check, MailOpen, X } from "lucide-react";
import { useNavigate } from "react-router";
import type { Row } from "../../../data/client.ts";
import { useAnswerInvitation, useInvitations } from "../../../data/members.ts";
import { Button } from "../../../parts/button.tsx";
import { RelativeTime } from "../../../parts/relative-time.tsx";
import { useToast } from "../../../parts/toast.tsx";
import { ROLE_WORDS } from "../words.ts";

/** Nobody is put into a room by somebody else's word. The room's name is told to those who are in it. */
export function Invitations() {
  const { rows = [] } = useInvitations();
  if (rows.length === 0) return null;
  return (
    <section aria-label="Invitations" className="mb-5 grid gap-2">
      {rows.map((invitation) => (
        <InvitationRow key={invitation.id} invitation={invitation} />
      ))}
    </section>
  );
}

function InvitationRow({ invitation }: { readonly invitation: Row<"swarm_members"> }) {
  const { id, role, swarm_id: swarmId, created_at: createdAt } = invitation;
  const answer = useAnswerInvitation();
  const show = useToast();
  const navigate = useNavigate();
  const run = async (isAccepted: boolean) => {
    if ((await answer.run({ id, isAccepted })) === null) show({ text: "That did not work. Try again.", tone: "bad" });
    else if (isAccepted) await navigate(`/swarms/${swarmId}`);
    else show({ text: "Declined." });
  };
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-accent bg-accent-soft px-4 py-3">
      <MailOpen className="size-4.5 shrink-0 text-accent" aria-hidden />
      <div className="grid min-w-0 flex-1 basis-56">
        <span className="font-medium">You are invited to a swarm as {ROLE_WORDS[role].label.toLowerCase()}</span>
        <span className="text-sm text-ink-soft">
          {ROLE_WORDS[role].text} <RelativeTime at={createdAt} />
        </span>
      </div>
      <div className="flex gap-2">
        <Button size="small" icon={<X />} disabled={answer.isBusy} onClick={() => void run(false)}>
          Decline
        </Button>
        <Button size="small" variant="primary" icon={<Check />} isBusy={answer.isBusy} onClick={() => void run(true)}>
          Accept
        </Button>
      </div>
    </div>
  );
}
