import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

test("GET /settings returns the supported sign-in methods", async (t) => {
  const auth = await createAuthContext(t, { settings: { authAutoconfirm: false, authAnonymousEnabled: false } });
  const { status, body } = await auth.call("GET", "/settings");
  const settings = body as { external: Record<string, boolean> };
  assert.equal(status, 200);
  const { email, phone, anonymous_users: anonymous, github } = settings.external;
  assert.deepEqual({ email, phone, anonymous, github }, { email: true, phone: false, anonymous: false, github: false });
  const { external: _, ...rest } = settings;
  assert.deepEqual(rest, {
    disable_signup: false,
    mailer_autoconfirm: false,
    phone_autoconfirm: false,
    sign_in_providers: [],
    sms_provider: "",
    saml_enabled: false,
    passkeys_enabled: true,
  });
});

test("autoconfirm defaults to true without a mail server", async (t) => {
  const auth = await createAuthContext(t, { settings: { authAutoconfirm: null } });
  const ask = async (smtpUrl: string | null) => {
    const node = { settings: { ...auth.context.settings, smtpUrl } };
    return (await auth.call("GET", "/settings", { node })).body as { mailer_autoconfirm: boolean };
  };
  assert.equal((await ask(null)).mailer_autoconfirm, true);
  assert.equal((await ask("smtp://127.0.0.1:25")).mailer_autoconfirm, false);
});

test("GET /health returns the name of the service", async (t) => {
  const auth = await createAuthContext(t);
  const { status, body } = await auth.call("GET", "/health");
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body as object), ["name", "version", "description"]);
});

test("unsupported endpoints return the error codes that clients test for", async (t) => {
  const auth = await createAuthContext(t);
  const cases = [
    ["POST", "/sso", 404, "saml_provider_disabled"],
    ["GET", "/authorize", 400, "oauth_provider_not_supported"],
  ] as const;
  for (const [method, path, status, code] of cases) {
    await assert.rejects(auth.call(method, path), rejection(status, code), `${method} ${path}`);
  }
  await assert.rejects(auth.call("POST", "/sso"), /SAML 2.0 is disabled/);
});
