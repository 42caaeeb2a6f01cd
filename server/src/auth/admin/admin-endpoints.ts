import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { callbackUrlOf, explain } from "../external/answers.ts";
import { describeTarget } from "../hooks/hook-target.ts";
import { removeFactor } from "../mfa/unenrol-factor.ts";
import { getPathId } from "../parse-call.ts";
import { renderPasskey } from "../passkeys/endpoints.ts";
import { selectHookFailures } from "../sql/hooks.ts";
import { lockFactor, selectFactors } from "../sql/mfa-factors.ts";
import { lockUser } from "../sql/users.ts";
import { deletePasskey, selectCredentials } from "../sql/webauthn-credentials.ts";
import { renderFactor } from "../users/render-user.ts";
import { ACCOUNT_BODY } from "./account-body.ts";
import { changeAccount, signOutAccount } from "./change-account.ts";
import { createAccount, INVITE_BODY, inviteAccount } from "./create-account.ts";
import { generateLink, LINK_BODY } from "./generate-link.ts";
import { getAccount, listAccounts, readAccount } from "./read-accounts.ts";
import { REMOVE_BODY, removeAccount } from "./remove-account.ts";

const ADMIN = { access: "service", limit: "api" } as const;

export const adminEndpoints: readonly AuthEndpoint[] = [
  { ...ADMIN, method: "POST", path: "/admin/users", body: ACCOUNT_BODY, run: createAccount },
  { ...ADMIN, method: "GET", path: "/admin/users", run: listAccounts },
  { ...ADMIN, method: "GET", path: "/admin/users/:id", run: readAccount },
  { ...ADMIN, method: "PUT", path: "/admin/users/:id", body: ACCOUNT_BODY, run: changeAccount },
  { ...ADMIN, method: "DELETE", path: "/admin/users/:id", body: REMOVE_BODY, run: removeAccount },
  { ...ADMIN, method: "GET", path: "/admin/hooks", run: listHooks },
  { ...ADMIN, method: "POST", path: "/admin/users/:id/logout", run: signOutAccount },
  { ...ADMIN, method: "GET", path: "/admin/users/:id/factors", run: listAccountFactors },
  { ...ADMIN, method: "DELETE", path: "/admin/users/:id/factors/:factorId", run: removeAccountFactor },
  { ...ADMIN, method: "GET", path: "/admin/users/:id/passkeys", run: listAccountPasskeys },
  { ...ADMIN, method: "DELETE", path: "/admin/users/:id/passkeys/:passkeyId", run: removeAccountPasskey },
  { ...ADMIN, method: "GET", path: "/admin/sign-in-providers", run: listSignInProviders },
  { ...ADMIN, method: "POST", path: "/admin/sign-in-providers/:name/check", run: checkSignInProvider },
  { ...ADMIN, method: "POST", path: "/admin/generate_link", body: LINK_BODY, run: generateLink },
  { ...ADMIN, method: "POST", path: "/invite", body: INVITE_BODY, run: inviteAccount },
];

async function listAccountFactors(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const factors = await inTransaction(context.pool, async (client) => {
    const { id } = await getAccount(client, call);
    return selectFactors(client, [id]);
  });
  return { status: 200, body: factors.map(renderFactor) };
}

/** Lets users in again who have lost their authenticator. */
async function removeAccountFactor(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const userId = getPathId(call.params, "id", "user_id");
  const factorId = getPathId(call.params, "factorId", "factor_id");
  const factor = await inTransaction(context.pool, async (client) => {
    if ((await lockUser(client, userId)) === null) throw authError("user_not_found");
    const found = await lockFactor(client, userId, factorId);
    if (found === null) throw authError("mfa_factor_not_found");
    await removeFactor(client, found);
    return found;
  });
  return { status: 200, body: renderFactor(factor) };
}

async function listAccountPasskeys(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const passkeys = await inTransaction(context.pool, async (client) =>
    selectCredentials(client, (await getAccount(client, call)).id, "passkey"),
  );
  return { status: 200, body: passkeys.map(renderPasskey) };
}

async function removeAccountPasskey(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const passkeyId = getPathId(call.params, "passkeyId", "passkey_id");
  await inTransaction(context.pool, async (client) => {
    const { id } = await getAccount(client, call);
    if (!(await deletePasskey(client, id, passkeyId))) throw authError("webauthn_credential_not_found");
  });
  return { status: 204 };
}

/** GET /admin/sign-in-providers. `check` is the last one of this node. */
async function listSignInProviders(context: AuthContext): Promise<AuthResponse> {
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
async function checkSignInProvider(context: AuthContext, { params }: AuthCall): Promise<AuthResponse> {
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
async function listHooks({ hooks, pool }: Pick<AuthContext, "hooks" | "pool">): Promise<AuthResponse> {
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
