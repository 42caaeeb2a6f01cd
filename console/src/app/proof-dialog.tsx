import { useState } from "react";
import { useProve, useSendCode } from "../data/account.ts";
import { getConfig } from "../data/client.ts";
import { useUser } from "../data/session.ts";
import { ActionDialog } from "../components/action-dialog.tsx";
import { Banner } from "../components/banner.tsx";
import { Button } from "../components/button.tsx";
import { CodeInput } from "../components/code-input.tsx";
import { Field } from "../components/field.tsx";
import { MAIL_IS_FILE } from "../components/mail-is-file.ts";
import { PasswordInput } from "../components/password-input.tsx";
import { typed } from "../components/typed.ts";

const WRONG_PASSWORD = "current_password_invalid";

/** Asks who is there when a call needs a proof; the call then goes on. */
export function ProofDialog({ onSettled }: { onSettled(isProven: boolean): void }) {
  const { email = "" } = useUser();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [isCodeSent, setCodeSent] = useState(false);
  const prove = useProve();
  const sendCode = useSendCode();
  const { failure } = prove;
  const isWrongPassword = failure?.code === WRONG_PASSWORD;
  const shown = sendCode.failure ?? (isWrongPassword ? null : failure);
  const submit = async () => {
    const proof = isCodeSent ? { nonce: code } : { current_password: password };
    if ((await prove.run(proof)) !== null) onSettled(true);
  };
  const ask = async () => {
    if ((await sendCode.run()) === null) return;
    prove.reset();
    setCodeSent(true);
  };
  return (
    <ActionDialog
      isOpen
      onClose={() => onSettled(false)}
      title="Confirm that it is you"
      description="Your sign-in is too long ago for this change."
      action="Confirm"
      isBusy={prove.isBusy}
      isDisabled={(isCodeSent ? code : password) === ""}
      isForm
      onAction={() => void submit()}
    >
      {shown !== null && <Banner tone="bad">{shown.message}</Banner>}
      {isCodeSent ? (
        <Field
          label="Code from the mail"
          hint={getConfig().mail === "file" ? MAIL_IS_FILE : `We have sent it to ${email}.`}
        >
          <CodeInput value={code} onChange={setCode} />
        </Field>
      ) : (
        <Field label="Your password" error={isWrongPassword ? failure.message : undefined}>
          <PasswordInput autoComplete="current-password" {...typed(password, setPassword)} />
        </Field>
      )}
      <div>
        <Button size="small" isBusy={sendCode.isBusy} onClick={() => void ask()}>
          {isCodeSent ? "Send another code" : "Send me a code by mail instead"}
        </Button>
      </div>
    </ActionDialog>
  );
}
