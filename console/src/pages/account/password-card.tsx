import { AUTH_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { NEEDS_CODE, useChangePassword, useSendCode } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { Banner } from "../../components/banner.tsx";
import { CodeInput } from "../../components/code-input.tsx";
import { Field } from "../../components/field.tsx";
import { PasswordInput } from "../../components/password-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { SaveCard } from "./save-card.tsx";

const WRONG_CURRENT = "current_password_invalid";

export function PasswordCard() {
  const { email = "" } = useUser();
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [nonce, setNonce] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const change = useChangePassword();
  const sendCode = useSendCode();
  const toast = useToast();
  const { failure } = change;
  const isWaitingForCode = failure?.code === NEEDS_CODE;
  const save = async () => {
    const outcome = await change.run({ current, password, nonce });
    if (outcome === null) return;
    setCurrent("");
    setPassword("");
    setNonce("");
    setNeedsCode(false);
    toast({ text: "The password is changed. All other sessions have ended." });
  };
  const ask = async () => {
    if ((await sendCode.run()) === null) return;
    change.reset();
    setNeedsCode(true);
  };
  return (
    <SaveCard
      title="Password"
      description="Changing it ends all other sessions."
      action={isWaitingForCode ? "Send me a code" : "Change the password"}
      isBusy={change.isBusy || sendCode.isBusy}
      isReady={password !== ""}
      failure={sendCode.failure ?? (isWaitingForCode || failure?.code === WRONG_CURRENT ? null : failure)}
      onSubmit={() => void (isWaitingForCode ? ask() : save())}
    >
      {isWaitingForCode && (
        <Banner tone="note">
          Your last sign-in is too long ago. Confirm the change with a code that we send to {email}.
        </Banner>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Current password"
          hint="Leave it empty if your account has no password."
          error={failure?.code === WRONG_CURRENT ? failure.message : undefined}
        >
          <PasswordInput
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <Field
          label="New password"
          hint={`At least ${AUTH_BOUNDS.passwordMinCharacters} characters.`}
          error={change.errors["password"]}
        >
          <PasswordInput
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </div>
      {needsCode && (
        <Field label="Code from the mail">
          <CodeInput value={nonce} onChange={setNonce} />
        </Field>
      )}
    </SaveCard>
  );
}
