import type { Cleanup } from "../support/database.ts";
import { PASSWORD, type Shown, type Tokens } from "./mfa-person.ts";
import { type AuthContextOverrides, createAuthContext, type TestAuthContext } from "./support/auth-context.ts";

interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly tokens: Tokens;
}

export interface AdminFixture {
  readonly stage: TestAuthContext;
  create(body: unknown): Promise<Shown>;
  change(id: string, body: unknown): Promise<Shown>;
  read(id: string): Promise<Shown>;
  remove(id: string, body?: unknown): Promise<unknown>;
  signIn(email: string, password?: string): Promise<Tokens>;
  /** Confirmed and signed in. */
  newUser(record?: Record<string, unknown>): Promise<NewUser>;
  count(table: string): Promise<number>;
}

/** Calls of an administrator. */
export async function openAdmin(t: Cleanup, overrides?: AuthContextOverrides): Promise<AdminFixture> {
  const stage = await createAuthContext(t, overrides);
  const token = stage.serviceRoleKey;
  let made = 0;
  const fixture: AdminFixture = {
    stage,
    create: async (body) => (await stage.call("POST", "/admin/users", { token, body })).body as Shown,
    change: async (id, body) => (await stage.call("PUT", `/admin/users/${id}`, { token, body })).body as Shown,
    read: async (id) => (await stage.call("GET", `/admin/users/${id}`, { token })).body as Shown,
    remove: async (id, body) => (await stage.call("DELETE", `/admin/users/${id}`, { token, body })).body,
    signIn: async (email, password = PASSWORD) => {
      const answer = await stage.call("POST", "/token", {
        query: { grant_type: "password" },
        body: { email, password },
      });
      return answer.body as Tokens;
    },
    newUser: async (record = {}) => {
      made += 1;
      const email = `user-${made}@example.com`;
      const user = await fixture.create({ email, password: PASSWORD, email_confirm: true, ...record });
      return { id: String(user["id"]), email, tokens: await fixture.signIn(email) };
    },
    count: async (table) => {
      const { rows } = await stage.context.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`);
      return rows[0]?.count ?? 0;
    },
  };
  return fixture;
}
