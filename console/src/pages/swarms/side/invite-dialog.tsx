import { useId, useState } from "react";
import { getStart } from "../../../data/client.ts";
import { type GivenRole, useInvite } from "../../../data/members.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { MAIL_IS_FILE } from "../../../components/mail-words.ts";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { ROLE_WORDS } from "../../../components/role-words.ts";
import { TextInput } from "../../../components/text-input.tsx";
import { useRoom } from "../room/room-context.ts";

const ROLES = (["member", "viewer", "admin"] as const).map((value) => ({
  value,
  label: ROLE_WORDS[value].label,
  hint: ROLE_WORDS[value].text,
}));

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { swarm } = useRoom();
  const [whom, setWhom] = useState("");
  const [role, setRole] = useState<GivenRole>("member");
  const [invited, setInvited] = useState<string | null>(null);
  const invite = useInvite(swarm.id);
  const formId = useId();
  const { errors, failure } = invite;
  const atField = errors["email"] ?? errors["user_id"] ?? errors["invited_email"];
  const run = async () => {
    if (whom.trim() === "" || (await invite.run({ whom, role })) === null) return;
    setInvited(whom.trim());
    setWhom("");
  };
  if (invited !== null)
    return <Invited whom={invited} swarmId={swarm.id} onMore={() => setInvited(null)} onClose={onClose} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="small"
      title="Invite somebody"
      description="They get a mail, and find the invitation on their first page. Nobody is in a swarm before they accept."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" disabled={whom.trim() === ""} isBusy={invite.isBusy}>
            Invite
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {failure !== null && atField === undefined && (
          <Banner tone="bad">
            {failure.status === 409 ? "They are in the swarm or invited already." : failure.message}
          </Banner>
        )}
        <Field label="E-mail or user id" error={atField}>
          <TextInput
            value={whom}
            onChange={({ target }) => setWhom(target.value)}
            autoComplete="off"
            spellCheck={false}
            placeholder="bob@example.com"
          />
        </Field>
        <RadioGroup label="Role" value={role} choices={ROLES} onChange={(value) => setRole(value)} />
      </form>
    </Dialog>
  );
}

interface InvitedProps {
  readonly whom: string;
  readonly swarmId: string;
  onMore(): void;
  onClose(): void;
}

/** Says the same whether the address has an account or not. */
function Invited({ whom, swarmId, onMore, onClose }: InvitedProps) {
  const link = `${location.origin}/invitations/${swarmId}`;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="small"
      title={`${whom} is invited`}
      description="They join by accepting it."
      footer={
        <>
          <Button onClick={onMore}>Invite another</Button>
          <Button variant="primary" onClick={onClose} data-autofocus>
            Done
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {getStart().mail === "smtp" ? (
          <p className="text-ink-soft">A mail with a link is on its way.</p>
        ) : (
          <Banner tone="note">{MAIL_IS_FILE}</Banner>
        )}
        <div className="grid gap-1.5">
          <span className="text-sm font-medium">You can pass the link on yourself, too</span>
          <span className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-sm break-all">{link}</span>
            <CopyButton text={link} label="Copy the link" />
          </span>
          <span className="text-sm text-ink-faint">It opens the invitation for {whom} and for nobody else.</span>
        </div>
      </div>
    </Dialog>
  );
}
