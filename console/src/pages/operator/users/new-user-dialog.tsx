import { useState } from "react";
import { useNavigate } from "react-router";
import { useCreateUser } from "../../../data/operator-users.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { PasswordInput } from "../../../components/password-input.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";

const WAYS = [
  { value: "invite", label: "Invite", hint: "A mail has a link, and the person sets a password." },
  { value: "create", label: "Create", hint: "The account is usable at once, with the password below." },
] as const;

type Way = (typeof WAYS)[number]["value"];

export function NewUserDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [way, setWay] = useState<Way>("invite");
  const create = useCreateUser();
  const navigate = useNavigate();
  const close = () => {
    setEmail("");
    setPassword("");
    create.reset();
    onClose();
  };
  const submit = async () => {
    const created = await create.run({ email, password: way === "invite" ? null : password });
    if (created === null) return;
    close();
    await navigate(`/operator/users/${created.user.id}`);
  };
  return (
    <ActionDialog
      size="medium"
      isOpen={isOpen}
      onClose={close}
      title="New user"
      action={way === "invite" ? "Send invitation" : "Create user"}
      isBusy={create.isBusy}
      isForm
      onAction={() => void submit()}
    >
      <RadioGroup<Way> label="How" value={way} choices={WAYS} onChange={setWay} />
      <Field label="E-mail address" error={create.errors["email"] ?? create.failure?.message}>
        <TextInput type="email" required maxLength={320} autoComplete="off" {...typed(email, setEmail)} />
      </Field>
      {way === "create" && (
        <Field label="Password">
          <PasswordInput required autoComplete="new-password" {...typed(password, setPassword)} />
        </Field>
      )}
    </ActionDialog>
  );
}
