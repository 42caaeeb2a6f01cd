import type { Provider } from "@supabase/supabase-js";
import { useEffect, useState } from "react";
import { callService } from "./call-service.ts";
import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";
import { hasWebAuthn, unwrapCeremony } from "./webauthn.ts";

interface SignInProvider {
  readonly name: string;
  /** "Google" */
  readonly label: string;
}

interface SignInWays {
  readonly providers: readonly SignInProvider[];
  /** The service offers passkeys, and the browser supports them. */
  readonly hasPasskeys: boolean;
}

interface SettingsBody {
  readonly sign_in_providers?: readonly SignInProvider[];
  readonly passkeys_enabled?: boolean;
}

let loading: Promise<SignInWays> | null = null;

function loadSignInWays(): Promise<SignInWays> {
  loading ??= (async () => {
    const response = await callService(getClient(), "/auth/v1/settings");
    const body = (await response.json()) as SettingsBody;
    return {
      providers: body.sign_in_providers ?? [],
      hasPasskeys: body.passkeys_enabled === true && hasWebAuthn(),
    };
  })();
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/** What the operator has configured; null until it is known. Not a query, because the sign-in page loads no queries. */
export function useSignInWays(): SignInWays | null {
  const [ways, setWays] = useState<SignInWays | null>(null);
  useEffect(() => {
    // Without them the form remains, which then shows what is wrong.
    loadSignInWays().then(setWays, () => {});
  }, []);
  return ways;
}

/** Leaves the page. The provider sends the browser back to the page that links in mails open, too. */
export async function signInWithProvider(provider: string): Promise<void> {
  const options = { redirectTo: `${location.origin}/welcome` };
  await unwrap(getClient().auth.signInWithOAuth({ provider: provider as Provider, options }));
}

export async function signInWithPasskey(): Promise<void> {
  await unwrapCeremony(getClient().auth.signInWithPasskey());
}
