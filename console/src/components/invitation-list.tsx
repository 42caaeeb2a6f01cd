import type { Database } from "@swarmbase/sdk";
import { MailOpen } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { AnswerButtons } from "./answer-buttons.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { ROLE_LABELS } from "./role-labels.ts";
import { useToast } from "./toast.tsx";

type InvitationDetails = Database["public"]["Views"]["swarm_invitations"]["Row"];

export interface InvitationListProps {
  readonly invitations: readonly InvitationDetails[];
  /** Resolves to false on failure. */
  onAnswer(invitation: InvitationDetails, isAccepted: boolean): Promise<boolean>;
}

/** Open invitations with buttons to accept and decline; renders nothing when there are none. */
export function InvitationList({ invitations, onAnswer }: InvitationListProps) {
  if (invitations.length === 0) return null;
  return (
    <section aria-label="Invitations" className="grid grid-cols-1 gap-2">
      {invitations.map((invitation) => (
        <InvitationRow
          key={invitation.id}
          invitation={invitation}
          onAnswer={(isAccepted) => onAnswer(invitation, isAccepted)}
        />
      ))}
    </section>
  );
}

interface InvitationRowProps {
  readonly invitation: InvitationDetails;
  onAnswer(isAccepted: boolean): Promise<boolean>;
}

function InvitationRow({ invitation, onAnswer }: InvitationRowProps) {
  const { role, swarm_id: swarmId, swarm_name: swarmName, inviter_name: inviter, created_at: createdAt } = invitation;
  const { expires_at: expiresAt } = invitation;
  const [isBusy, setBusy] = useState(false);
  const show = useToast();
  const navigate = useNavigate();
  const run = async (isAccepted: boolean) => {
    setBusy(true);
    const isDone = await onAnswer(isAccepted);
    setBusy(false);
    if (!isDone) show({ text: "The invitation could not be answered. Try again.", tone: "bad" });
    else if (isAccepted) await navigate(`/swarms/${swarmId}`);
    else show({ text: `Declined the invitation to ${swarmName}.` });
  };
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-accent bg-accent-soft px-4 py-3">
      <MailOpen className="size-4.5 shrink-0 text-accent" aria-hidden />
      <div className="grid min-w-0 flex-1 basis-56 wrap-anywhere">
        <span>
          <span className="font-semibold">{inviter ?? "Someone"}</span> invites you to{" "}
          <span className="font-semibold">{swarmName}</span> as {ROLE_LABELS[role].label.toLowerCase()}
        </span>
        <span className="text-sm text-ink-soft">
          {ROLE_LABELS[role].text} <RelativeTime at={createdAt} />
          {expiresAt !== null && (
            <>
              , expires <RelativeTime at={expiresAt} />
            </>
          )}
        </span>
      </div>
      <AnswerButtons
        what={`the invitation to ${swarmName}`}
        isBusy={isBusy}
        onAnswer={(isAccepted) => void run(isAccepted)}
      />
    </div>
  );
}
