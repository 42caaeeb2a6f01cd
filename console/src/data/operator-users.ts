import { type OperatorPage, useOperatorPages, useOperatorRead, useOperatorWrite } from "./operator.ts";
import type { Pages, ReadResult } from "./rows.ts";
import type { Write } from "./write.ts";

export const USER_STATES = ["disabled", "unconfirmed", "operators"] as const;
export type UserState = (typeof USER_STATES)[number];

export interface OperatedUser {
  readonly id: string;
  readonly email: string | null;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly email_confirmed_at: string | null;
  readonly invited_at: string | null;
  readonly banned_until: string | null;
  readonly is_anonymous: boolean;
  readonly is_operator: boolean;
  readonly has_second_factor: boolean;
}

interface OperatedSession {
  readonly id: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
}

/** Numbers as text, with all of their digits. */
export interface UserLimits {
  readonly daily_token_budget: string | null;
  readonly daily_cost_budget_usd: string | null;
  readonly imposed_daily_token_budget: string | null;
  readonly imposed_daily_cost_budget_usd: string | null;
  readonly imposed_daily_runs: string | null;
  readonly tokens_today: string;
  readonly cost_today_usd: string;
  readonly runs_today: string;
}

export interface UserDetails {
  readonly user: OperatedUser;
  readonly sessions: readonly OperatedSession[];
  readonly factors: readonly { readonly id: string; readonly friendly_name: string | null; readonly status: string }[];
  /** Null for an account without settings. */
  readonly limits: UserLimits | null;
}

const NOUN = "users";

export function useOperatedUsers(search: string, state: UserState | null): Pages<OperatedUser> {
  return useOperatorPages("/users", { search, state: state ?? "" }, readPage);
}

function readPage(body: {
  readonly users: readonly OperatedUser[];
  readonly next: string | null;
}): OperatorPage<OperatedUser> {
  return { rows: body.users, next: body.next === null ? null : { after: body.next } };
}

export function useOperatedUser(id: string): ReadResult<UserDetails> {
  return useOperatorRead(`/users/${encodeURIComponent(id)}`);
}

export interface NewUser {
  readonly email: string;
  /** Null: the user is invited by mail. */
  readonly password: string | null;
}

export function useCreateUser(): Write<NewUser, UserDetails> {
  return useOperatorWrite(NOUN, ({ email, password }) =>
    password === null
      ? { method: "POST", path: "/users/invite", body: { email } }
      : { method: "POST", path: "/users", body: { email, password } },
  );
}

export type UserAction = "disable" | "enable" | "sign-out" | "reset-factors";

export function useUserAction(id: string): Write<UserAction, UserDetails> {
  return useOperatorWrite(NOUN, (action) => ({ method: "POST", path: `/users/${encodeURIComponent(id)}/${action}` }));
}

export type ImposedLimits = Pick<
  UserLimits,
  "imposed_daily_token_budget" | "imposed_daily_cost_budget_usd" | "imposed_daily_runs"
>;

export function useImposeLimits(id: string): Write<ImposedLimits, UserDetails> {
  return useOperatorWrite(NOUN, (body) => ({ method: "PATCH", path: `/users/${encodeURIComponent(id)}/limits`, body }));
}
