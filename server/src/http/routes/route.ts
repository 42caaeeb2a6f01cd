import type { LimitName } from "@swarmbase/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccessRule } from "../../auth/index.ts";

/** One row of the route table. Who may call and what the call counts for are read here and nowhere else. */
export interface Route {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Segments may be `:name`; a last segment may be `*`. */
  path: string;
  /**
   * `bearer`: a key and a token of any role; what the role may do is for the database to say.
   * `account`: a user whose session lives, or the service role.
   */
  access: AccessRule["access"];
  /** Rows other than "api" and "auth" are counted beside "api". */
  limit: null | LimitName;
  /** Where a request decides it. "refresh" is counted as "api" by the session that the body names. */
  limitOf?(request: FastifyRequest): LimitName | "refresh";
  /** Whom a body names, where that is counted too; null when nobody. */
  names?: { email(body: unknown): string | null; session(body: unknown): string | null };
  /** Makes a user's first signing secret, so that it cannot have been signed with one. */
  isForFirstSecret?: boolean;
  /** With access "apikey": a bearer is not looked at, so a bad one does no harm. */
  isBearerIgnored?: boolean;
  /** A GET that is more than reading: HEAD is not answered by running it. */
  isHeadRefused?: boolean;
  /** The body is handed over as the bytes that came, whatever their type. */
  isBodyRaw?: boolean;
  /** What it returns, or a promise of it, is sent. */
  handler(request: FastifyRequest, reply: FastifyReply): unknown;
}
