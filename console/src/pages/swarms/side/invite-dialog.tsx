import { useState } from "react";
import { type GivenRole, type Invited, useInvite } from "../../../data/members.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Field } from "../../../components/field.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { ROLE_LABELS } from "../../../components/role-labels.ts";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { InvitedDialog } from "./invited-dialog.tsx";

const ROLES = (["member", "viewer", "admin"] as const).map((value) => ({
  value,
  label: ROLE_LABELS[value].label,
  hint: ROLE_LABELS[value].text,
}));

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { swarm } = useSwarmContext();
  const [whom, setWhom] = useState("");
  const [role, setRole] = useState<GivenRole>("member");
  const [invited, setInvited] = useState<(Invited & { readonly whom: string }) | null>(null);
  const invite = useInvite(swarm.id);
  const { errors, failure } = invite;
  const atField = errors["email"] ?? errors["user_id"] ?? errors["invited_email"];
  const run = async () => {
    const done = whom.trim() === "" ? null : await invite.run({ whom, role });
    if (done === null) return;
    setInvited({ ...done, whom: whom.trim() });
    setWhom("");
  };
  if (invited !== null) return <InvitedDialog {...invited} onMore={() => setInvited(null)} onClose={onClose} />;
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Invite a user"
      description="They receive a mail and see the invitation on their home page. They join the swarm when they accept."
      action="Invite"
      isDisabled={whom.trim() === ""}
      isBusy={invite.isBusy}
      isForm
      onAction={() => void run()}
    >
      {failure !== null && atField === undefined && (
        <Banner tone="bad">{failure.status === 409 ? "They are already a member or invited." : failure.message}</Banner>
      )}
      <Field label="E-mail or user id" error={atField}>
        <TextInput {...typed(whom, setWhom)} autoComplete="off" spellCheck={false} placeholder="bob@example.com" />
      </Field>
      <RadioGroup label="Role" value={role} choices={ROLES} onChange={(value) => setRole(value)} />
    </ActionDialog>
  );
}
