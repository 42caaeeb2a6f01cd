import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { callbackUrlOf, explain } from "./answers.ts";
import type { ProviderCheck } from "../providers/sign-in-providers.ts";

/** GET /admin/sign-in-providers. `check` is the last one of this node. */
export async function listSignInProviders(context: AuthContext): Promise<AuthResponse> {
  const { list, checks } = context.signInProviders;
  const providers = list.map(({ name, label, preset, issuer, clientId }) => ({
    name,
    label,
    kind: preset.kind,
    issuer,
    client_id: clientId,
    callback_url: callbackUrlOf(context),
    check: checks.get(name) ?? null,
  }));
  return { status: 200, body: { providers } };
}

/** POST /admin/sign-in-providers/:name/check: reads the document and the keys of the issuer. */
export async function checkSignInProvider(context: AuthContext, { params }: AuthCall): Promise<AuthResponse> {
  const { signInProviders, clock } = context;
  const provider = signInProviders.list.find(({ name }) => name === params["name"]);
  if (provider === undefined) throw authError("not_found", "No sign-in provider has this name");
  const finish = (ok: boolean, message: string): ProviderCheck => ({
    ok,
    message,
    checked_at: clock.now().toISOString(),
  });
  const check = await signInProviders.check(provider).then(
    (message) => finish(true, message),
    (error: unknown) => finish(false, explain(error)),
  );
  signInProviders.checks.set(provider.name, check);
  return { status: 200, body: check };
}
