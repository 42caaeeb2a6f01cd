import { useState } from "react";
import { Navigate } from "react-router";
import { passRecoveryCode, passSecondFactor } from "../../data/entry.ts";
import { signOut, useSessionState } from "../../data/session.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { CodeInput } from "../../components/code-input.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { useEntry } from "./use-entry.ts";

export function SecondFactor() {
  const { needsSecondFactor } = useSessionState();
  const [code, setCode] = useState("");
  const [isRecovering, setRecovering] = useState(false);
  const entry = useEntry();
  if (!needsSecondFactor) return <Navigate to="/sign-in" replace />;
  return (
    <>
      <EntryHead title="One more step">
        {isRecovering
          ? "Type one of your recovery codes. Each works once."
          : "Open the app on your phone and type the code that it shows for Swarmbase."}
      </EntryHead>
      <EntryForm
        entry={entry}
        action="Continue"
        onSubmit={() => void entry.attempt(() => (isRecovering ? passRecoveryCode(code) : passSecondFactor(code)))}
      >
        {isRecovering ? (
          <Field label="Recovery code">
            <TextInput
              autoComplete="off"
              spellCheck={false}
              maxLength={40}
              required
              {...typed(code, setCode)}
              className="font-mono"
            />
          </Field>
        ) : (
          <Field label="Code">
            <CodeInput value={code} onChange={setCode} />
          </Field>
        )}
      </EntryForm>
      <Button
        variant="quiet"
        className="justify-self-start"
        onClick={() => {
          setCode("");
          setRecovering(!isRecovering);
        }}
      >
        {isRecovering ? "Use the app" : "Use a recovery code"}
      </Button>
      <Button variant="quiet" className="justify-self-start" onClick={() => void signOut()}>
        Use another account
      </Button>
    </>
  );
}
