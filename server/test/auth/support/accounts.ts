import assert from "node:assert/strict";
import type { PasswordHasher } from "../../../src/auth/passwords/password-hasher.ts";
import type { AuthContext } from "../../../src/auth/auth-context.ts";
import type { SessionBody } from "../../../src/auth/sessions/render-session.ts";
import type { TestAuthContext } from "./auth-context.ts";

export const PASSWORD = "correct horse";

export interface ShownUser {
  readonly id: string;
  readonly email: string;
  readonly identities: readonly Record<string, unknown>[];
  readonly app_metadata: Record<string, unknown>;
  readonly user_metadata: Record<string, unknown>;
  readonly is_anonymous: boolean;
  readonly [name: string]: unknown;
}

export interface ShownSession extends Omit<SessionBody, "user"> {
  readonly user: ShownUser;
  readonly weak_password?: unknown;
}

type Caller = Pick<TestAuthContext, "call">;

/** Calls another node of the same service, whose context differs. */
export function onNode({ call }: Caller, node: Partial<AuthContext>): Caller {
  return { call: (method, path, options) => call(method, path, { ...options, node }) };
}

/** Requires autoconfirm, the default of the test context. */
export async function signUp({ call }: Caller, email: string, password: string = PASSWORD): Promise<ShownSession> {
  const { status, body } = await call("POST", "/signup", { body: { email, password } });
  assert.equal(status, 200);
  return body as ShownSession;
}

export async function signIn({ call }: Caller, email: string, password: string = PASSWORD): Promise<ShownSession> {
  const answer = await call("POST", "/token", { query: { grant_type: "password" }, body: { email, password } });
  assert.equal(answer.status, 200);
  return answer.body as ShownSession;
}

export async function refresh({ call }: Caller, refreshToken: string): Promise<ShownSession> {
  const answer = await call("POST", "/token", {
    query: { grant_type: "refresh_token" },
    body: { refresh_token: refreshToken },
  });
  assert.equal(answer.status, 200);
  return answer.body as ShownSession;
}

export async function getUser({ call }: Caller, token: string): Promise<ShownUser> {
  return (await call("GET", "/user", { token })).body as ShownUser;
}

export async function updateUser({ call }: Caller, token: string, body: unknown): Promise<ShownUser> {
  const answer = await call("PUT", "/user", { token, body });
  assert.equal(answer.status, 200);
  return answer.body as ShownUser;
}

/** Counts calls. */
export function watchHasher(
  hasher: PasswordHasher,
): PasswordHasher & { readonly asked: { hash: number; verify: number } } {
  const asked = { hash: 0, verify: 0 };
  return {
    asked,
    hash: (password) => {
      asked.hash += 1;
      return hasher.hash(password);
    },
    verify: (hash, password) => {
      asked.verify += 1;
      return hasher.verify(hash, password);
    },
  };
}
