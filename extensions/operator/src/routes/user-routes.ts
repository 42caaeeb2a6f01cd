import { isUuid } from "@swarmbase/sdk";
import { AppError, isRecord } from "swarmbase/extension";
import { exactNumber } from "../exact-number.ts";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import {
  invalidField,
  readBody,
  readChoice,
  readCursor,
  readId,
  readRequiredText,
  readText,
  writeCursor,
} from "../read-input.ts";
import { isOperator } from "../sql/operators.ts";
import { sumUsage } from "../sql/user-days.ts";
import {
  findLimits,
  findUser,
  selectFactors,
  selectSessions,
  selectUsers,
  USER_ORDERS,
  USER_STATES,
  type ListedUserRow,
  type UserFilter,
  type UserRow,
} from "../sql/users.ts";

const PATH = "/operator/v1/users";
const PAGE_ROWS = 50;
/** GoTrue has no ban without an end; clients use a hundred years. */
const FOREVER = "876000h";
const MICROSECONDS = /^\d{1,17}$/;
const FIGURE = /^\d{1,30}(?:\.\d{1,30})?$/;

const targetOf: NonNullable<OperatorRoute["target"]> = ({ params }) => `users/${params["id"] ?? ""}`;

export const userRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: PATH, action: "users.list", handler: listUsers },
  { method: "POST", path: PATH, action: "users.create", handler: createUser },
  { method: "POST", path: `${PATH}/invite`, action: "users.invite", handler: inviteUser },
  { method: "GET", path: `${PATH}/:id`, action: "users.read", target: targetOf, handler: readUser },
  {
    method: "POST",
    path: `${PATH}/:id/disable`,
    action: "users.disable",
    target: targetOf,
    handler: (request, context) => ban(request, context, { isActive: false }),
  },
  {
    method: "POST",
    path: `${PATH}/:id/enable`,
    action: "users.enable",
    target: targetOf,
    handler: (request, context) => ban(request, context, { isActive: true }),
  },
  { method: "POST", path: `${PATH}/:id/sign-out`, action: "users.sign_out", target: targetOf, handler: signOut },
  {
    method: "POST",
    path: `${PATH}/:id/reset-factors`,
    action: "users.reset_factors",
    target: targetOf,
    handler: resetFactors,
  },
  { method: "PATCH", path: `${PATH}/:id/limits`, action: "users.limits", target: targetOf, handler: changeLimits },
];

async function listUsers({ query }: OperatorRequest, { database }: OperatorContext) {
  const filter: UserFilter = {
    search: readText(query["search"], "search"),
    state: readChoice(query["state"], "state", USER_STATES) ?? "all",
    order: readChoice(query["order"], "order", USER_ORDERS) ?? "created",
    after: readAfter(readCursor(query["after"])),
    limit: PAGE_ROWS + 1,
  };
  // The next pages have the order of the first.
  if (filter.after === null) await sumUsage(database);
  const found = await database.asService((run) => selectUsers(run, filter));
  const users = found.slice(0, PAGE_ROWS);
  const last = users.at(-1);
  const next =
    found.length > PAGE_ROWS && last !== undefined ? writeCursor([last.figure, last.position, last.id]) : null;
  return { body: { users: users.map(renderUser), next } };
}

function readAfter(cursor: unknown): UserFilter["after"] {
  if (cursor === null) return null;
  const [figure, position, id] = Array.isArray(cursor) ? (cursor as unknown[]) : [];
  if (!isText(figure, FIGURE) || !isText(position, MICROSECONDS) || !isUuid(id))
    throw invalidField("after", "is not the position of a page");
  return { figure, position, id };
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function renderUser({ position: _position, figure: _figure, ...user }: UserRow & Partial<ListedUserRow>) {
  return user;
}

async function readUser({ params }: OperatorRequest, context: OperatorContext) {
  return { body: await describeUser(context, readId(params["id"], "id")) };
}

async function describeUser({ database }: OperatorContext, id: string) {
  return database.asService(async (run) => {
    const user = await findUser(run, id);
    if (user === null) throw noUser();
    return {
      user: renderUser(user),
      sessions: await selectSessions(run, id),
      factors: await selectFactors(run, id),
      limits: await findLimits(run, id),
    };
  });
}

async function createUser({ body, noteDetails }: OperatorRequest, context: OperatorContext) {
  const { email, password } = readBody(body, ["email", "password"]);
  const account = await context.authAsService({
    method: "POST",
    path: "/admin/users",
    body: {
      email: readRequiredText(email, "email"),
      password: readText(password, "password") ?? undefined,
      email_confirm: true,
    },
  });
  return created(account.body, noteDetails, context);
}

async function inviteUser({ body, noteDetails }: OperatorRequest, context: OperatorContext) {
  const { email } = readBody(body, ["email"]);
  const account = await context.authAsService({
    method: "POST",
    path: "/invite",
    body: { email: readRequiredText(email, "email") },
  });
  return created(account.body, noteDetails, context);
}

/** The account as operators see it, and not as the service role does. */
async function created(account: unknown, noteDetails: OperatorRequest["noteDetails"], context: OperatorContext) {
  const id = isRecord(account) ? String(account["id"]) : "";
  noteDetails({ user_id: id });
  return { status: 201, body: await describeUser(context, id) };
}

async function ban(
  { params, body, noteDetails }: OperatorRequest,
  context: OperatorContext,
  { isActive }: { readonly isActive: boolean },
) {
  const id = readId(params["id"], "id");
  const { reason } = readBody(body ?? {}, ["reason"]);
  noteDetails({ reason: isActive ? readText(reason, "reason") : readRequiredText(reason, "reason") });
  if (!isActive) await requireOrdinary(context, id, "disabled");
  const user = await context.database.asService((run) => findUser(run, id));
  const stateOf = (isBanned: boolean): string => (isBanned ? "disabled" : "active");
  noteDetails({ changes: { state: [stateOf((user?.banned_until ?? null) !== null), stateOf(!isActive)] } });
  const duration = isActive ? "none" : FOREVER;
  await context.authAsService({ method: "PUT", path: `/admin/users/${id}`, body: { ban_duration: duration } });
  return { body: await describeUser(context, id) };
}

async function signOut(request: OperatorRequest, context: OperatorContext) {
  const id = readId(request.params["id"], "id");
  noteReason(request);
  await context.authAsService({ method: "POST", path: `/admin/users/${id}/logout` });
  return { body: await describeUser(context, id) };
}

/** A reason that may be missing. */
function noteReason({ body, noteDetails }: OperatorRequest): void {
  noteDetails({ reason: readText(readBody(body ?? {}, ["reason"])["reason"], "reason") });
}

async function resetFactors(request: OperatorRequest, context: OperatorContext) {
  const id = readId(request.params["id"], "id");
  noteReason(request);
  await requireOrdinary(context, id, "reset");
  const factors = await context.database.asService((run) => selectFactors(run, id));
  // Each is removed in a transaction of its own; a repeated call removes the rest.
  for (const factor of factors.filter(({ factor_type: type }) => type !== "recovery_code"))
    await context.authAsService({ method: "DELETE", path: `/admin/users/${id}/factors/${factor.id}` });
  return { body: await describeUser(context, id) };
}

/** One operator must not lock out another, or themselves. */
async function requireOrdinary({ database }: OperatorContext, id: string, done: string): Promise<void> {
  const isProtected = await database.asService((run) => isOperator(run, id));
  if (isProtected)
    throw new AppError(
      "FORBIDDEN",
      `An operator cannot be ${done} here. Remove the operator first: swarmbase operators remove`,
    );
}

/** What an operator imposes, by the column of `user_settings`. */
const LIMITS = {
  imposed_daily_token_budget: /^(?:0|[1-9]\d{0,17})$/,
  imposed_daily_cost_budget_usd: /^(?:0|[1-9]\d{0,8})(?:\.\d{1,9})?$/,
  imposed_daily_runs: /^(?:0|[1-9]\d{0,8})$/,
} as const;
const LIMIT_NAMES = Object.keys(LIMITS) as readonly (keyof typeof LIMITS)[];

async function changeLimits({ params, body, noteDetails }: OperatorRequest, context: OperatorContext) {
  const id = readId(params["id"], "id");
  const fields = readBody(body, ["reason", ...LIMIT_NAMES]);
  const sent = LIMIT_NAMES.filter((name) => Object.hasOwn(fields, name)).map(
    (name) => [name, readNumber(fields[name], name, LIMITS[name])] as const,
  );
  if (sent.length === 0) throw invalidField("imposed_daily_runs", "or another limit is required");
  noteDetails({ reason: readRequiredText(fields["reason"], "reason") });
  const old = await context.database.asService((run) => findLimits(run, id));
  if (old === null) throw noUser();
  noteDetails({
    changes: Object.fromEntries(
      sent.filter(([name, to]) => old[name] !== to).map(([name, to]) => [name, [old[name], to]]),
    ),
  });
  const change = Object.fromEntries(sent.map(([name, to]) => [name, to === null ? null : exactNumber(to)]));
  const { body: rows } = await context.restAsService({
    method: "PATCH",
    path: `/user_settings?user_id=eq.${id}&select=user_id`,
    headers: { prefer: "return=representation" },
    body: change,
  });
  if (!Array.isArray(rows) || rows.length === 0) throw noUser();
  return { body: await describeUser(context, id) };
}

/** Without the loss of a digit; null removes a limit. */
function readNumber(value: unknown, field: string, pattern: RegExp): string | null {
  if (value === null || value === "") return null;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !pattern.test(text)) throw invalidField(field, "must be a number of 0 or more");
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function noUser(): AppError {
  return new AppError("NOT_FOUND", "The user does not exist");
}
