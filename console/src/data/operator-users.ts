import { type OperatorPage, useOperatorPages, useOperatorRead, useOperatorWrite } from "./operator.ts";
import type { Pages, ReadResult } from "./rows.ts";
import type { Write } from "./write.ts";

export const USER_STATES = ["disabled", "unconfirmed", "operators"] as const;
export type UserState = (typeof USER_STATES)[number];

/** What a list can be ordered by, the most first; the default is the first. */
export const USER_ORDERS = {
  cost_month: "Cost, month",
  cost_today: "Cost, today",
  tokens_month: "Tokens, month",
  tokens_today: "Tokens, today",
  runs_month: "Runs, month",
  runs_today: "Runs, today",
  requests_month: "Requests, month",
  requests_today: "Requests, today",
  created: "Newest first",
} as const;
export type UserOrder = keyof typeof USER_ORDERS;

export interface OperatedUser {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly email_confirmed_at: string | null;
  readonly invited_at: string | null;
  readonly banned_until: string | null;
  readonly is_anonymous: boolean;
  readonly is_operator: boolean;
  readonly has_second_factor: boolean;
}

/** Of this day and month (UTC). Numbers as text, with all of their digits. */
interface UserUse {
  readonly requests_today: string;
  readonly requests_month: string;
  /** Those that the user pays for and that have called a model. */
  readonly runs_today: string;
  readonly runs_month: string;
  readonly tokens_today: string;
  readonly tokens_month: string;
  readonly cost_today_usd: string;
  readonly cost_month_usd: string;
}

export interface ListedUser extends OperatedUser, UserUse {}

interface OperatedSession {
  readonly id: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
}

export interface UserLimits extends UserUse {
  readonly daily_token_budget: string | null;
  readonly daily_cost_budget_usd: string | null;
  readonly imposed_daily_token_budget: string | null;
  readonly imposed_daily_cost_budget_usd: string | null;
  readonly imposed_daily_runs: string | null;
}

export interface UserDetails {
  readonly user: OperatedUser;
  readonly sessions: readonly OperatedSession[];
  readonly factors: readonly { readonly id: string; readonly friendly_name: string | null; readonly status: string }[];
  /** Null for an account without settings. */
  readonly limits: UserLimits | null;
}

const NOUN = "users";

export function useOperatedUsers(search: string, state: UserState | null, order: UserOrder): Pages<ListedUser> {
  return useOperatorPages("/users", { search, state: state ?? "", order }, readPage);
}

function readPage(body: {
  readonly users: readonly ListedUser[];
  readonly next: string | null;
}): OperatorPage<ListedUser> {
  return { rows: body.users, next: body.next === null ? null : { after: body.next } };
}

export function useOperatedUser(id: string): ReadResult<UserDetails> {
  return useOperatorRead(`/users/${encodeURIComponent(id)}`);
}

interface NewUser {
  readonly email: string;
  /** Null means that the user is invited by mail. */
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

export function useUserAction(
  id: string,
): Write<{ readonly action: UserAction; readonly reason: string }, UserDetails> {
  return useOperatorWrite(NOUN, ({ action, reason }) => ({
    method: "POST",
    path: `/users/${encodeURIComponent(id)}/${action}`,
    body: { reason },
  }));
}

export type ImposedLimits = Pick<
  UserLimits,
  "imposed_daily_token_budget" | "imposed_daily_cost_budget_usd" | "imposed_daily_runs"
>;

export function useImposeLimits(id: string): Write<ImposedLimits & { readonly reason: string }, UserDetails> {
  return useOperatorWrite(NOUN, (body) => ({ method: "PATCH", path: `/users/${encodeURIComponent(id)}/limits`, body }));
}
