import { inTransaction, type Queryable } from "../../db/index.ts";
import { parseEmail } from "../users/email-address.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { findUnstorable } from "../find-unstorable.ts";
import { getPathId } from "../parse-call.ts";
import {
  ACCOUNT_ORDERS,
  countAccounts,
  findAccount,
  selectAccounts,
  selectWholeUser,
  selectWholeUsers,
} from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import type { UserRow } from "../sql/user-row.ts";

export async function readAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const user = await inTransaction(context.pool, async (client) =>
    selectWholeUser(client, await getAccount(client, call)),
  );
  return { status: 200, body: renderUser(user) };
}

export async function getAccount(client: Queryable, { params }: Pick<AuthCall, "params">): Promise<UserRow> {
  const account = await findAccount(client, getPathId(params, "id", "user_id"));
  if (account === null) throw authError("user_not_found");
  return account;
}

const DEFAULT_PER_PAGE = 50;
const MAX_PER_PAGE = 1000;
const MAX_FILTER_LENGTH = 320;

export async function listAccounts(context: AuthContext, { query }: AuthCall): Promise<AuthResponse> {
  const { page, perPage } = parsePage(query);
  const order = parseOrder(query["sort"]);
  const filter = {
    email: query["email"] ? parseEmail(query["email"]) : null,
    search: query["filter"] ? escapePattern(query["filter"]) : null,
  };
  const { users, total } = await inTransaction(context.pool, async (client) => {
    const rows = await selectAccounts(client, filter, { order, limit: perPage, offset: (page - 1) * perPage });
    return { users: await selectWholeUsers(client, rows), total: await countAccounts(client, filter) };
  });
  const { email, filter: search, sort } = query;
  return {
    status: 200,
    body: { users: users.map(renderUser), aud: "authenticated" },
    headers: {
      "x-total-count": String(total),
      link: renderPageLinks({ page, perPage, total, further: { filter: search, email, sort } }),
    },
  };
}

export function parsePage(query: AuthCall["query"]): { readonly page: number; readonly perPage: number } {
  const page = Math.max(1, parseCount(query["page"], "page") ?? 1);
  const perPage = Math.min(parseCount(query["per_page"], "per_page") ?? DEFAULT_PER_PAGE, MAX_PER_PAGE);
  if (perPage === 0) throw badPage("per_page must be greater than 0");
  return { page, perPage };
}

/** Clients send an empty string for a parameter that was not set. */
function parseCount(text: string | undefined, name: string): number | null {
  if (!text) return null;
  if (!/^\d{1,9}$/.test(text)) throw badPage(`${name} must be a number`);
  return Number(text);
}

function badPage(reason: string): Error {
  return authError("validation_failed", `Bad Pagination Parameters: ${reason}`);
}

function parseOrder(text: string | undefined): keyof typeof ACCOUNT_ORDERS {
  const [field = "", direction = "desc", ...rest] = (text || "created_at").trim().split(/\s+/);
  const wanted = `${field} ${direction}`.toLowerCase();
  if (rest.length > 0 || !isOrder(wanted)) {
    throw authError("validation_failed", `Bad Sort Parameters: use one of ${Object.keys(ACCOUNT_ORDERS).join(", ")}`);
  }
  return wanted;
}

function isOrder(text: string): text is keyof typeof ACCOUNT_ORDERS {
  return Object.hasOwn(ACCOUNT_ORDERS, text);
}

function escapePattern(text: string): string {
  if (text.length > MAX_FILTER_LENGTH) throw authError("validation_failed", "filter is too long");
  const unstorable = findUnstorable({ filter: text });
  if (unstorable !== null) throw authError("validation_failed", unstorable);
  return text.replace(/[\\%_]/g, "\\$&");
}

interface PageLinks {
  readonly path?: string;
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  /** Other parameters of the request, repeated in the links. */
  readonly further: Readonly<Record<string, string | undefined>>;
}

/**
 * Renders the `Link` header. The client splits it at ",", ";" and "=" and takes the text after the first "=" as the
 * page, so `page` comes first and everything else is percent-encoded.
 */
export function renderPageLinks({ path = "/admin/users", page, perPage, total, further }: PageLinks): string {
  const last = Math.ceil(total / perPage);
  const rest = Object.entries({ per_page: String(perPage), ...further })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join("");
  const link = (target: number, rel: string) => `<${path}?page=${target}${rest}>; rel="${rel}"`;
  return page < last ? `${link(page + 1, "next")}, ${link(last, "last")}` : link(last, "last");
}
