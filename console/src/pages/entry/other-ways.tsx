import { KeyRound } from "lucide-react";
import { useLocation } from "react-router";
import { useReturnedError } from "../../data/returned-error.ts";
import { signInWithPasskey, signInWithProvider, useSignInWays } from "../../data/sign-in-ways.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { useEntry } from "./use-entry.ts";
import { keepFrom, readFrom } from "./where-from.ts";

/** The configured ways besides a password. A new account has no passkey yet. */
export function OtherWays({ isNew = false }: { readonly isNew?: boolean }) {
  const ways = useSignInWays();
  const entry = useEntry();
  const returned = useReturnedError();
  const { state } = useLocation() as { state: unknown };
  const hasPasskeys = !isNew && ways?.hasPasskeys === true;
  if (ways === null || (!hasPasskeys && ways.providers.length === 0)) return null;
  const problem = entry.failure?.message ?? returned;
  const goTo = async (provider: string) => {
    keepFrom(readFrom(state));
    await signInWithProvider(provider);
  };
  return (
    <section aria-label="Other ways to sign in" className="grid gap-2.5">
      <div aria-hidden className="flex items-center gap-3 text-sm text-ink-faint">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      {problem !== null && <Banner tone="bad">{problem}</Banner>}
      {hasPasskeys && (
        <Button
          size="large"
          icon={<KeyRound />}
          isBusy={entry.isBusy}
          onClick={() => void entry.attempt(signInWithPasskey)}
        >
          Sign in with a passkey
        </Button>
      )}
      {ways.providers.map(({ name, label }) => (
        <Button key={name} size="large" disabled={entry.isBusy} onClick={() => void entry.attempt(() => goTo(name))}>
          <span className="truncate">Continue with {label}</span>
        </Button>
      ))}
    </section>
  );
}
