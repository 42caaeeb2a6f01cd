import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { callbackUrlOf, explain } from "../external/answers.ts";
import { describeTarget } from "../hooks/hook-target.ts";
import { selectHookFailures } from "../sql/hooks.ts";

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
  const found = await signInProviders.check(provider).then(
    (message) => ({ ok: true, message }),
    (error: unknown) => ({ ok: false, message: explain(error) }),
  );
  const check = { ...found, checked_at: clock.now().toISOString() };
  signInProviders.checks.set(provider.name, check);
  return { status: 200, body: check };
}

/** GET /admin/hooks: what is configured, and how it has failed on any node. */
export async function listHooks({ hooks, pool }: Pick<AuthContext, "hooks" | "pool">): Promise<AuthResponse> {
  const targets = Object.values(hooks).flatMap((hook) => (hook === null ? [] : [hook.target]));
  const failures = await selectHookFailures(pool);
  const listed = targets.map((target) => ({
    name: target.name,
    kind: target.call.kind,
    target: describeTarget(target),
    policy: target.policy,
    timeout_ms: target.timeoutMs,
    failures: failures
      .filter(({ hook }) => hook === target.name)
      .map(({ at, reason, count }) => ({ at: at.toISOString(), reason, count })),
  }));
  return { status: 200, body: { hooks: listed } };
}
