import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuthContext } from "../../src/auth/auth-context.ts";
import type { Answer } from "../http/support/test-server.ts";
import { type Ask, type Client, serveAuth } from "./attack-server.ts";
import { newPerson, PASSWORD, type Person } from "./mfa-person.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";

interface Stage {
  readonly auth: TestAuthContext;
  readonly ask: Client;
  readonly person: Person;
  /** The response with other settings. */
  askWith(settings: Partial<AuthContext["settings"]>): Promise<Client>;
}

interface Row {
  readonly rejection: readonly [status: number, code: string, message: RegExp];
  run(stage: Stage): Promise<Answer>;
}

const NAMES: Readonly<Record<number, readonly [string, string]>> = {
  401: ["UNAUTHORIZED", "Unauthorized"],
  403: ["FORBIDDEN", "Forbidden"],
  429: ["RATE_LIMITED", "Too many requests"],
};

/** Both kinds of clients find their code: GoTrue's when the version header is present, otherwise the interface's. */
function checkShape({ status, headers, json }: Answer, code: string): void {
  const [ownCode = code, error] = NAMES[status] ?? [];
  assert.equal(json["code"], ownCode);
  assert.equal(json["error_code"], code);
  assert.equal(json["msg"], json["message"]);
  assert.equal(typeof json["error"], "string");
  if (error !== undefined) assert.equal(json["error"], error);
  for (const name of ["details", "hint"]) assert.ok(name in json, name);
  assert.equal(headers["x-sb-error-code"], code);
  assert.equal(headers["x-supabase-api-version"], status in NAMES ? undefined : "2024-01-01");
  assert.match(headers["content-type"] ?? "", /^application\/json/);
  assert.equal(headers["access-control-allow-origin"], "*");
  assert.equal(status === 401, headers["www-authenticate"] !== undefined);
  if (status === 429) assert.equal(String(json["retry_after"]), headers["retry-after"]);
}

const password = (body: unknown) => ["POST", "/token?grant_type=password", { body }] as const;
const refresh = (refresh_token: string) =>
  ["POST", "/token?grant_type=refresh_token", { body: { refresh_token } }] as const;
const signUp = (body: unknown) => ["POST", "/signup", { body }] as const;
const asked =
  (...call: readonly [string, string, Ask?]): Row["run"] =>
  ({ ask }) =>
    ask(...call);

const ROWS: Readonly<Record<string, Row>> = {
  "bad login": {
    rejection: [400, "invalid_credentials", /^Invalid login credentials$/],
    run: ({ ask, person }) => ask(...password({ email: person.email, password: "wrong one" })),
  },
  "unknown user": {
    rejection: [400, "invalid_credentials", /^Invalid login credentials$/],
    run: asked(...password({ email: "nobody@example.com", password: PASSWORD })),
  },
  unconfirmed: {
    rejection: [400, "email_not_confirmed", /^Email not confirmed$/],
    run: async ({ auth, ask }) => {
      const body = { email: "late@example.com", password: PASSWORD };
      await ask("POST", "/admin/users", { token: auth.serviceRoleKey, body });
      return ask(...password(body));
    },
  },
  "banned at sign-in": {
    rejection: [400, "user_banned", /^User is banned$/],
    run: async ({ auth, ask, person: { id, email } }) => {
      await ask("PUT", `/admin/users/${id}`, { token: auth.serviceRoleKey, body: { ban_duration: "1h" } });
      return ask(...password({ email, password: PASSWORD }));
    },
  },
  "banned with a token": {
    rejection: [401, "user_banned", /^User is banned$/],
    run: async ({ auth, ask, person: { id, token } }) => {
      await auth.database.owner.query("update auth.users set banned_until = 'infinity' where id = $1", [id]);
      return ask("GET", "/user", { token });
    },
  },
  "bad grant_type": {
    rejection: [400, "invalid_credentials", /^unsupported_grant_type$/],
    run: asked("POST", "/token?grant_type=device", { body: {} }),
  },
  "duplicate with autoconfirm": {
    rejection: [422, "user_already_exists", /^User already registered$/],
    run: ({ ask, person: { email } }) => ask(...signUp({ email, password: PASSWORD })),
  },
  "sign-up disabled": {
    rejection: [422, "signup_disabled", /^Signups not allowed for this instance$/],
    run: async (stage) => (await stage.askWith({ authSignupEnabled: false }))(...signUp({ email: "a@b.co" })),
  },
  "anonymous disabled": {
    rejection: [422, "anonymous_provider_disabled", /^Anonymous sign-ins are disabled$/],
    run: async (stage) => (await stage.askWith({ authAnonymousEnabled: false }))(...signUp({})),
  },
  "no password": {
    rejection: [400, "validation_failed", /^Signup requires a valid password$/],
    run: asked(...signUp({ email: "a@b.co" })),
  },
  "weak password": {
    rejection: [422, "weak_password", /^Password should be at least 6 characters\.$/],
    run: asked(...signUp({ email: "a@b.co", password: "short" })),
  },
  "password too long": {
    rejection: [400, "validation_failed", /^Password cannot be longer than 1024 characters$/],
    run: asked(...signUp({ email: "a@b.co", password: "x".repeat(1025) })),
  },
  "bad email": {
    rejection: [400, "validation_failed", /^Unable to validate email address: invalid format$/],
    run: asked(...signUp({ email: "nowhere", password: PASSWORD })),
  },
  "same password": {
    rejection: [422, "same_password", /^New password should be different from the old password\.$/],
    run: ({ ask, person: { token } }) => ask("PUT", "/user", { token, body: { password: PASSWORD } }),
  },
  "email taken": {
    rejection: [422, "email_exists", /^A user with this email address has already been registered$/],
    run: ({ auth, ask, person: { email } }) =>
      ask("POST", "/admin/users", { token: auth.serviceRoleKey, body: { email } }),
  },
  "refresh unknown": {
    rejection: [400, "refresh_token_not_found", /^Invalid Refresh Token: Refresh Token Not Found$/],
    run: asked(...refresh("of-nobody")),
  },
  "refresh reuse": {
    rejection: [400, "refresh_token_already_used", /^Invalid Refresh Token: Already Used$/],
    run: async ({ auth, ask, person }) => {
      await person.refresh((await person.refresh()).refresh_token);
      auth.clock.advance(11_000);
      return ask(...refresh(person.refreshToken));
    },
  },
  "session over": {
    rejection: [400, "session_expired", /^Invalid Refresh Token: Session Expired/],
    run: async ({ auth, ask, person }) => {
      await auth.database.owner.query("update auth.sessions set not_after = now() where user_id = $1", [person.id]);
      return ask(...refresh(person.refreshToken));
    },
  },
  "otp wrong": {
    rejection: [403, "otp_expired", /^Token has expired or is invalid$/],
    run: ({ ask, person: { email } }) => ask("POST", "/verify", { body: { type: "email", email, token: "123456" } }),
  },
  "link wrong": {
    rejection: [403, "otp_expired", /^Email link is invalid or has expired$/],
    run: asked("POST", "/verify", { body: { type: "signup", token_hash: "a".repeat(64) } }),
  },
  "PKCE state missing": {
    rejection: [404, "flow_state_not_found", /flow state/],
    run: asked("POST", "/token?grant_type=pkce", { body: { auth_code: "a", code_verifier: "b" } }),
  },
  "reauthentication needed": {
    rejection: [400, "reauthentication_needed", /reauthentication/],
    run: async (stage) => {
      const { auth, person } = stage;
      const sql = "update auth.sessions set proven_at = now() - interval '2 days' where user_id = $1";
      await auth.database.owner.query(sql, [person.id]);
      const ask = await stage.askWith({ authReauthenticate: true });
      return ask("PUT", "/user", { token: person.token, body: { password: "another one" } });
    },
  },
  "reauthentication wrong": {
    rejection: [422, "reauthentication_not_valid", /Nonce/],
    run: async (stage) => {
      const { auth, person } = stage;
      const sql = "update auth.sessions set proven_at = now() - interval '2 days' where user_id = $1";
      await auth.database.owner.query(sql, [person.id]);
      const ask = await stage.askWith({ authReauthenticate: true });
      return ask("PUT", "/user", { token: person.token, body: { password: "another one", nonce: "1" } });
    },
  },
  "admin user missing": {
    rejection: [404, "user_not_found", /^User not found$/],
    run: ({ auth, ask }) =>
      ask("GET", "/admin/users/6f0d2b0e-0000-4000-8000-000000000000", { token: auth.serviceRoleKey }),
  },
  "user gone": {
    rejection: [401, "user_not_found", /./],
    run: async ({ auth, ask, person: { id, token } }) => {
      await ask("DELETE", `/admin/users/${id}`, { token: auth.serviceRoleKey, body: {} });
      return ask("GET", "/user", { token });
    },
  },
  "session gone": {
    rejection: [401, "session_not_found", /^Session from session_id claim in JWT does not exist$/],
    run: async ({ ask, person: { token } }) => {
      await ask("POST", "/logout", { token });
      return ask("GET", "/user", { token });
    },
  },
  "bad JWT": {
    rejection: [401, "bad_jwt", /^invalid JWT: unable to parse or verify signature/],
    run: asked("GET", "/user", { token: "a.b.c" }),
  },
  "too frequent mail": {
    rejection: [429, "over_email_send_rate_limit", /^For security purposes, .* after \d+ seconds\.$/],
    run: async (stage) => {
      const ask = await stage.askWith({ authMailIntervalSeconds: 60 });
      await ask("POST", "/recover", { body: { email: stage.person.email } });
      return ask("POST", "/recover", { body: { email: stage.person.email } });
    },
  },
  "MFA wrong code": {
    rejection: [422, "mfa_verification_failed", /^Invalid TOTP code entered$/],
    run: async ({ ask, person }) => {
      const factor = await person.enrol();
      const body = { challenge_id: await person.challenge(factor.id), code: person.wrongCode(factor) };
      return ask("POST", `/factors/${factor.id}/verify`, { token: person.token, body });
    },
  },
  "aal2 needed": {
    rejection: [401, "insufficient_aal", /AAL2/],
    run: async ({ ask, person }) => {
      await person.enrolVerified();
      const { access_token: token } = await person.signIn();
      return ask("PUT", "/user", { token, body: { password: "another one" } });
    },
  },
  "not an administrator": {
    rejection: [403, "not_admin", /^User not allowed$/],
    run: ({ ask, person: { token } }) => ask("GET", "/admin/users", { token }),
  },
  "no bearer": {
    rejection: [401, "no_authorization", /^This endpoint requires a valid Bearer token$/],
    run: asked("GET", "/user"),
  },
};

describe("every error that clients test for", () => {
  it("has GoTrue's status, code and message, and the codes of the interface", async (t) => {
    const auth = await createAuthContext(t);
    const ask = await serveAuth(t, auth);
    const askWith: Stage["askWith"] = (settings) =>
      serveAuth(t, auth, { settings: { ...auth.context.settings, ...settings } });
    for (const [name, { rejection, run }] of Object.entries(ROWS)) {
      const [status, code, message] = rejection;
      const answer = await run({ auth, ask, askWith, person: await newPerson(auth) });
      assert.equal(answer.status, status, `${name}: ${answer.text}`);
      assert.match(String(answer.json["message"]), message, name);
      checkShape(answer, code);
    }
    const weak = await ask(...signUp({ email: "a@b.co", password: "short" }));
    assert.deepEqual(weak.json["weak_password"], { reasons: ["length"] });
  });
});
