import assert from "node:assert/strict";
import type { SessionBody } from "../../src/auth/sessions/render-session.ts";
import { APPROVED, createEmailUser } from "../../src/auth/users/create-user.ts";
import type { AuthResponse } from "../../src/auth/call.ts";
import type { Mail, MailKind } from "../../src/auth/mail/mail.ts";
import { findUserByEmail } from "../../src/auth/sql/users.ts";
import type { UserRow } from "../../src/auth/sql/user-row.ts";
import { inTransaction } from "../../src/db/index.ts";
import type { TestAuthContext } from "./support/auth-context.ts";

/** Parses the newest mail of a kind to an address. */
export function readMail(
  auth: TestAuthContext,
  to: string,
  kind: MailKind,
): { mail: Mail; code: string; link: URL; hash: string } {
  const mail = auth.mails.findLast((sent) => sent.to === to && sent.kind === kind);
  assert.ok(mail, `${to} got no ${kind}, but ${JSON.stringify(auth.mails.map((sent) => [sent.to, sent.kind]))}`);
  const link = new URL(mail.values.link ?? "https://none.invalid");
  return { mail, code: mail.values.code ?? "", link, hash: link.searchParams.get("token") ?? "" };
}

export interface PersonOptions {
  readonly isConfirmed?: boolean;
  readonly passwordHash?: string | null;
}

export async function makePerson(auth: TestAuthContext, email: string, options: PersonOptions = {}): Promise<UserRow> {
  const { isConfirmed = true, passwordHash = null } = options;
  return inTransaction(auth.context.pool, (client) =>
    createEmailUser(auth.context, client, {
      approval: APPROVED,
      email,
      isConfirmed,
      isProven: isConfirmed,
      passwordHash,
    }),
  );
}

export async function findPerson(auth: TestAuthContext, email: string): Promise<UserRow> {
  const user = await findUserByEmail(auth.context.pool, email);
  assert.ok(user, `nobody has ${email}`);
  return user;
}

/** Signs in with a code from a mail. */
export async function signIn(auth: TestAuthContext, email: string): Promise<SessionBody> {
  await auth.call("POST", "/otp", { body: { email, create_user: false } });
  const { code } = readMail(auth, email, "magiclink");
  return sessionOf(await auth.call("POST", "/verify", { body: { type: "email", email, token: code } }));
}

export function sessionOf(answer: AuthResponse): SessionBody {
  assert.equal(answer.status, 200);
  const body = answer.body as SessionBody;
  assert.equal(typeof body.access_token, "string", JSON.stringify(answer.body));
  return body;
}

export function claimsOf(session: Pick<SessionBody, "access_token">): {
  amr: { method: string }[];
  email: string;
  sub: string;
} {
  const [, payload = ""] = session.access_token.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as {
    amr: { method: string }[];
    email: string;
    sub: string;
  };
}

/** Requests the link of a mail as a browser would, and parses the URL that it redirects to. */
export async function follow(
  auth: TestAuthContext,
  link: URL,
): Promise<{ target: URL; fragment: Record<string, string>; query: Record<string, string> }> {
  assert.equal(link.pathname, "/auth/v1/verify");
  const answer = await auth.call("GET", "/verify", { query: Object.fromEntries(link.searchParams) });
  assert.equal(answer.status, 303);
  assert.equal(answer.headers?.["cache-control"], "no-store");
  const target = new URL(answer.headers?.["location"] ?? "");
  return {
    target,
    fragment: Object.fromEntries(new URLSearchParams(target.hash.slice(1))),
    query: Object.fromEntries(target.searchParams),
  };
}
