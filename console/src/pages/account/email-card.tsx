import { useState } from "react";
import { useChangeEmail } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { Banner } from "../../components/banner.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { SaveCard } from "./save-card.tsx";

export function EmailCard() {
  const { email: saved = "", new_email: waiting = "" } = useUser();
  const [email, setEmail] = useState(saved);
  const [asked, setAsked] = useState(waiting);
  const change = useChangeEmail();
  const toast = useToast();
  const wished = email.trim();
  const save = async () => {
    setAsked("");
    const user = await change.run(wished);
    if (user === null) return;
    if (user.email?.toLowerCase() === wished.toLowerCase()) toast({ text: "Your e-mail address is changed." });
    else setAsked(wished);
  };
  return (
    <SaveCard
      title="E-mail address"
      description="You sign in with it, and links and codes are sent to it."
      action="Change the address"
      isBusy={change.isBusy}
      isReady={wished !== "" && wished !== saved}
      failure={change.failure}
      onSubmit={() => void save()}
    >
      {asked !== "" && (
        <Banner tone="note">
          Look into the mailbox of {asked} and follow the link there. Until then you sign in with {saved}.
        </Banner>
      )}
      <Field label="E-mail" error={change.errors["email"]}>
        <TextInput type="email" autoComplete="email" value={email} onChange={(event) => setEmail(event.target.value)} />
      </Field>
    </SaveCard>
  );
}
