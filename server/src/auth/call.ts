import type * as z from "zod";
import type { Principal } from "../db/index.ts";
import type { AuthContext } from "./auth-context.ts";

/** What an endpoint gets to know of a request. */
export interface AuthCall {
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON; `{}` when there was no body. */
  readonly body: unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly address: string;
  readonly userAgent: string | null;
  readonly principal: Principal;
}

export interface AuthAnswer {
  readonly status: number;
  /** Sent as JSON; nothing is sent when it is absent. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One row of the table under `/auth/v1`. Access is checked before `run`: a "user" has a living session, "service" is the role. */
export interface AuthEndpoint {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly access: "public" | "apikey" | "user" | "service";
  readonly limit: null | "api" | "auth";
  /** Where the query decides what a call counts for. `refresh` is a call by a session, whoever keeps it. */
  limitOf?(query: AuthCall["query"]): "api" | "auth" | "refresh";
  /** What `run` reads of the body, for those who describe it. */
  readonly body?: z.ZodType;
  run(context: AuthContext, call: AuthCall): Promise<AuthAnswer>;
}
