import { lazy, Suspense, useState } from "react";
import { useLocation } from "react-router";
import { resendConfirmation, signUp } from "../../data/entry.ts";
import { isFirstStart } from "../../data/session.ts";
import { AccountForm } from "./account-form.tsx";
import { EntryLink } from "./entry-link.tsx";
import { MailSent } from "./mail-sent.tsx";

const OtherWays = lazy(async () => ({ default: (await import("./other-ways.tsx")).OtherWays }));

const FIRST = {
  title: "Welcome to Swarmbase",
  description:
    "The service runs, and nobody has an account yet. Create yours: then you set up your first agents and talk with them, which takes a few minutes.",
} as const;
const ANOTHER = {
  title: "Create account",
  description: "Welcome! With an account you set up your first agents and talk with them, which takes a few minutes.",
} as const;

export function SignUp() {
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null);
  const { state } = useLocation() as { state: unknown };
  if (unconfirmed !== null)
    return (
      <MailSent title="Confirm your address" email={unconfirmed} again={() => resendConfirmation(unconfirmed)}>
        Open its link in this browser to sign in.
      </MailSent>
    );
  return (
    <AccountForm
      {...(isFirstStart() ? FIRST : ANOTHER)}
      action="Create account"
      fields={["name", "email", "chosenPassword"]}
      onSubmit={async ({ name, email, chosenPassword: password }) => {
        if (!(await signUp({ email, password, name: name.trim() }))) setUnconfirmed(email);
      }}
    >
      <Suspense>
        <OtherWays isNew />
      </Suspense>
      <p className="text-ink-soft">
        Already have an account?{" "}
        <EntryLink to="/sign-in" state={state}>
          Sign in
        </EntryLink>
      </p>
    </AccountForm>
  );
}
