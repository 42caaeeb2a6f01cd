import { type Client, getConfig } from "./client.ts";
import { watchedFetch } from "./connection.ts";
import { Failure, toFailure } from "./failure.ts";

/** A request as the user to an endpoint for which supabase-js has no method. Throws a Failure for an error. */
export async function callService(client: Client, path: string, init: RequestInit = {}): Promise<Response> {
  const { data } = await client.auth.getSession();
  const { url, anonKey } = getConfig();
  const headers = { apikey: anonKey, authorization: `Bearer ${data.session?.access_token ?? ""}` };
  try {
    const response = await watchedFetch(`${url}${path}`, { ...init, headers });
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as { msg?: string; message?: string };
    const message = body.msg ?? body.message ?? "The service sent an unexpected response.";
    throw new Failure(message, { status: response.status });
  } catch (error) {
    throw await toFailure(error);
  }
}
