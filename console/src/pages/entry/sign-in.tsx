import { lazy, Suspense } from "react";
import { useLocation } from "react-router";
import { signIn } from "../../data/entry.ts";
import { AccountForm } from "./account-form.tsx";
import { EntryLink } from "./entry-link.tsx";

const OtherWays = lazy(async () => ({ default: (await import("./other-ways.tsx")).OtherWays }));

export function SignIn() {
  const { state } = useLocation() as { state: unknown };
  return (
    <AccountForm
      title="Sign in"
      description="Welcome to Swarmbase. Sign in to your account, or create one below."
      action="Sign in"
      fields={["email", "password"]}
      onSubmit={signIn}
    >
      <Suspense>
        <OtherWays />
      </Suspense>
      <div className="grid gap-2 text-ink-soft">
        <p>
          Without a password:{" "}
          <EntryLink to="/magic-link" state={state}>
            Get a link by e-mail
          </EntryLink>
        </p>
        <p>
          New here?{" "}
          <EntryLink to="/sign-up" state={state}>
            Create account
          </EntryLink>
        </p>
      </div>
    </AccountForm>
  );
}
