import { useState } from "react";
import { useChangeEmail } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { Banner } from "../../components/banner.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { typed } from "../../components/typed.ts";
import { SaveCard } from "./save-card.tsx";

export function EmailCard() {
  const { email: saved = "", new_email: waiting = "" } = useUser();
  const [email, setEmail] = useState(saved);
  const [unconfirmed, setUnconfirmed] = useState(waiting);
  const change = useChangeEmail();
  const toast = useToast();
  const newEmail = email.trim();
  const save = async () => {
    setUnconfirmed("");
    const user = await change.run(newEmail);
    if (user === null) return;
    if (user.email?.toLowerCase() === newEmail.toLowerCase()) toast({ text: "Your e-mail address is changed." });
    else setUnconfirmed(newEmail);
  };
  return (
    <SaveCard
      title="E-mail address"
      description="You sign in with it and receive links and codes at it."
      action="Change the address"
      isBusy={change.isBusy}
      isReady={newEmail !== "" && newEmail !== saved}
      failure={change.failure}
      onSubmit={() => void save()}
    >
      {unconfirmed !== "" && (
        <Banner tone="note">
          Open the link in the mail to {unconfirmed}. Until then you sign in with {saved}.
        </Banner>
      )}
      <Field label="E-mail" error={change.errors["email"]}>
        <TextInput type="email" autoComplete="email" {...typed(email, setEmail)} />
      </Field>
    </SaveCard>
  );
}
