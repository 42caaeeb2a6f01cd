import { useState } from "react";
import { Navigate } from "react-router";
import { passRecoveryCode } from "../../data/entry.ts";
import { type Factor, passWithCode, passWithKey, useFactors } from "../../data/factors.ts";
import { signOut, useSessionState } from "../../data/session.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { CodeInput } from "../../components/code-input.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { useEntry } from "./use-entry.ts";

type Way = Factor["kind"] | "recovery";

const WAYS: Readonly<Record<Way, { readonly text: string; readonly label: string }>> = {
  app: { text: "Open the app on your phone and type the code that it shows for Swarmbase.", label: "Use the app" },
  key: { text: "Confirm with your security key or this device.", label: "Use a security key" },
  recovery: { text: "Type one of your recovery codes. Each works once.", label: "Use a recovery code" },
};

export function SecondFactor() {
  const { needsSecondFactor } = useSessionState();
  const { rows: factors, ...read } = useFactors();
  const [chosen, setChosen] = useState<Way | null>(null);
  if (!needsSecondFactor) return <Navigate to="/sign-in" replace />;
  if (factors === undefined)
    return <NotLoaded title="Your factors could not be loaded" read={read} skeleton={<Skeleton className="h-40" />} />;
  const ways: readonly Way[] = [...new Set(factors.map(({ kind }) => kind)), "recovery"];
  const way = chosen ?? ways[0] ?? "recovery";
  return (
    <>
      <EntryHead title="One more step">{WAYS[way].text}</EntryHead>
      {way === "key" ? (
        factors
          .filter(({ kind }) => kind === way)
          .map(({ id, name }) => <KeyStep key={id} factorId={id} action={`Continue with ${name}`} />)
      ) : (
        <CodeStep key={way} way={way} factorId={factors.find(({ kind }) => kind === way)?.id ?? ""} />
      )}
      {ways
        .filter((other) => other !== way)
        .map((other) => (
          <Button key={other} variant="quiet" className="justify-self-start" onClick={() => setChosen(other)}>
            {WAYS[other].label}
          </Button>
        ))}
      <Button variant="quiet" className="justify-self-start" onClick={() => void signOut()}>
        Use another account
      </Button>
    </>
  );
}

/** The service makes a challenge for one key, so each has a button. */
function KeyStep({ factorId, action }: { readonly factorId: string; readonly action: string }) {
  const entry = useEntry();
  return <EntryForm entry={entry} action={action} onSubmit={() => void entry.attempt(() => passWithKey(factorId))} />;
}

function CodeStep({ way, factorId }: { readonly way: "app" | "recovery"; readonly factorId: string }) {
  const [code, setCode] = useState("");
  const entry = useEntry();
  const pass = () => (way === "app" ? passWithCode(factorId, code) : passRecoveryCode(code));
  return (
    <EntryForm entry={entry} action="Continue" onSubmit={() => void entry.attempt(pass)}>
      {way === "app" ? (
        <Field label="Code">
          <CodeInput value={code} onChange={setCode} />
        </Field>
      ) : (
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
      )}
    </EntryForm>
  );
}
