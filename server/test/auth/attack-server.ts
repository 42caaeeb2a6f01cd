import type { TestContext } from "node:test";
import { authEndpoints } from "../../src/auth/index.ts";
import { authenticate } from "../../src/auth/principal/authenticate.ts";
import type { AuthContext } from "../../src/auth/auth-context.ts";
import { authRoutes } from "../../src/http/index.ts";
import { type Answer, startServer } from "../http/support/test-server.ts";
import type { TestAuthContext } from "./support/auth-context.ts";

const MEBIBYTE = 1024 * 1024;

export interface Ask {
  /** Sent as JSON; strings and buffers are sent unchanged. */
  readonly body?: unknown;
  /** Bearer. */
  readonly token?: string;
  /** Defaults to the anon key; null sends none. */
  readonly apikey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request over HTTPS. Paths are relative to /auth/v1 and include the query. */
export type Client = (method: string, path: string, ask?: Ask) => Promise<Answer>;

/** Serves all auth endpoints with the real auth guard. */
export async function serveAuth(
  t: TestContext,
  { context, anonKey }: Pick<TestAuthContext, "context" | "anonKey">,
  node: Partial<AuthContext> = {},
): Promise<Client> {
  const served = { ...context, ...node };
  const { request } = await startServer(t, {
    routes: authRoutes(authEndpoints, served),
    guard: (admittance, credentials) => authenticate(served, admittance, credentials),
    settings: { bodyLimitBytes: MEBIBYTE, requestTimeoutMs: 30_000 },
  });
  return (method, path, { body, token, apikey = anonKey, headers = {} } = {}) => {
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
    return request(`/auth/v1${path}`, {
      method,
      headers: {
        ...(apikey !== null && { apikey }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(bytes !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
        ...headers,
      },
      ...(bytes !== undefined && { body: bytes }),
    });
  };
}
