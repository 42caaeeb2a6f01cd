import { useId, useState } from "react";
import { type GivenRole, useInvite } from "../../../data/members.ts";
import { Banner } from "../../../parts/banner.tsx";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field } from "../../../parts/field.tsx";
import { RadioGroup } from "../../../parts/radio-group.tsx";
import { TextInput } from "../../../parts/text-input.tsx";
import { useToast } from "../../../parts/toast.tsx";
import { useRoom } from "../room/room-context.ts";
import { ROLE_WORDS } from "../words.ts";

const ROLES = (["member", "viewer", "admin"] as const).map((value) => ({
  value,
  label: ROLE_WORDS[value].label,
  hint: ROLE_WORDS[value].text,
}));

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { swarm } = useRoom();
  const [whom, setWhom] = useState("");
  const [role, setRole] = useState<GivenRole>("member");
  const invite = useInvite(swarm.id);
  const show = useToast();
  const formId = useId();
  const { errors, failure } = invite;
  const atField = errors["email"] ?? errors["user_id"] ?? errors["invited_email"];
  const run = async () => {
    if (whom.trim() === "" || (await invite.run({ whom, role })) === null) return;
    show({ text: `${whom.trim()} is invited, and joins by accepting it.` });
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="small"
      title="Invite somebody"
      description="They find the invitation among their swarms. Nobody is in a room before they accept."
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
