import { AUTH_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { Field } from "../../components/field.tsx";
import { PasswordInput } from "../../components/password-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { typed } from "../../components/typed.ts";
import { useChangePassword } from "../../data/account.ts";
import { FactorsCard } from "./factors-card.tsx";
import { IdentitiesCard } from "./identities-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SaveCard } from "./save-card.tsx";

const WRONG_CURRENT = "current_password_invalid";

export function SecurityTab() {
  return (
    <div className="grid gap-5">
      <PasswordCard />
      <PasskeysCard />
      <IdentitiesCard />
      <FactorsCard />
    </div>
  );
}

function PasswordCard() {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const change = useChangePassword();
  const toast = useToast();
  const { failure } = change;
  const isWrongCurrent = failure?.code === WRONG_CURRENT;
  const save = async () => {
    const outcome = await change.run({ current, password });
    if (outcome === null) return;
    setCurrent("");
    setPassword("");
    toast({ text: "The password is changed. All other sessions have ended." });
  };
  return (
    <SaveCard
      title="Password"
      description="Changing it ends all other sessions."
      action="Change password"
      isBusy={change.isBusy}
      isReady={password !== ""}
      failure={isWrongCurrent ? null : failure}
      onSubmit={() => void save()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Current password"
          hint="Leave it empty if your account has no password."
          error={isWrongCurrent ? failure.message : undefined}
        >
          <PasswordInput autoComplete="current-password" {...typed(current, setCurrent)} />
        </Field>
        <Field
          label="New password"
          hint={`At least ${AUTH_BOUNDS.passwordMinCharacters} characters.`}
          error={change.errors["password"]}
        >
          <PasswordInput autoComplete="new-password" {...typed(password, setPassword)} />
        </Field>
      </div>
    </SaveCard>
  );
}
