import { type Client, getConfig } from "./client.ts";
import { watchedFetch } from "./connection.ts";
import { codeOf, Failure, toFailure } from "./failure.ts";

interface ErrorBody {
  readonly msg?: string;
  readonly message?: string;
  readonly code?: string;
  readonly error_code?: string;
  readonly details?: Record<string, string> | string | null;
}

/** A request as the user, or as a visitor, to an endpoint for which supabase-js has no method. Throws a Failure for an error. */
export async function callService(client: Client, path: string, init: RequestInit = {}): Promise<Response> {
  const { data } = await client.auth.getSession();
  const { url, anonKey } = getConfig();
  const own = { apikey: anonKey, authorization: `Bearer ${data.session?.access_token ?? anonKey}` };
  const headers = { ...(init.headers as Record<string, string> | undefined), ...own };
  try {
    const response = await watchedFetch(`${url}${path}`, { ...init, headers });
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as ErrorBody;
    const message = body.msg ?? body.message ?? "The service sent an unexpected response.";
    const fields = typeof body.details === "object" && body.details !== null ? body.details : {};
    throw new Failure(message, { status: response.status, code: codeOf(body), fields });
  } catch (error) {
    throw await toFailure(error);
  }
}
