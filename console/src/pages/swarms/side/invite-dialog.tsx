import { useId, useState } from "react";
import { getConfig } from "../../../data/client.ts";
import { type GivenRole, useInvite } from "../../../data/members.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { MAIL_IS_FILE } from "../../../components/mail-is-file.ts";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { ROLE_LABELS } from "../../../components/role-labels.ts";
import { TextInput } from "../../../components/text-input.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";

const ROLES = (["member", "viewer", "admin"] as const).map((value) => ({
  value,
  label: ROLE_LABELS[value].label,
  hint: ROLE_LABELS[value].text,
}));

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { swarm } = useSwarmContext();
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
      title="Invite a user"
      description="They receive a mail and see the invitation on their home page. They join the swarm when they accept."
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
            {failure.status === 409 ? "They are already a member or invited." : failure.message}
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

/** Does not reveal whether the address has an account. */
function Invited({ whom, swarmId, onMore, onClose }: InvitedProps) {
  const link = `${location.origin}/invitations/${swarmId}`;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="small"
      title={`${whom} is invited`}
      description="They join when they accept the invitation."
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
        {getConfig().mail === "smtp" ? (
          <p className="text-ink-soft">A mail with a link is on its way.</p>
        ) : (
          <Banner tone="note">{MAIL_IS_FILE}</Banner>
        )}
        <div className="grid gap-1.5">
          <span className="text-sm font-medium">You can also send the link yourself</span>
          <span className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-sm break-all">{link}</span>
            <CopyButton text={link} label="Copy the link" />
          </span>
          <span className="text-sm text-ink-faint">It works only for {whom}.</span>
        </div>
      </div>
    </Dialog>
  );
}
