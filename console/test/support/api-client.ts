import type { Page } from "playwright-core";
import type { Instance } from "./instance.ts";
import { readSession } from "./browser-contexts.ts";

export interface ApiClient {
  readonly userId: string;
  /** Calls the API as the user of the page. Returns the JSON of the response, or throws with its status and body. */
  call(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** Calls the API with the service role. */
  callAsService(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
}

/** Returns a client for the API with the session of the page. */
export async function getApiClient(page: Page, instance: Instance): Promise<ApiClient> {
  const { access_token: token, user } = await readSession(page);
  const send = async (key: string, bearer: string, method: string, path: string, body: unknown): Promise<unknown> => {
    const response = await page.request.fetch(`${instance.url}${path}`, {
      method,
      headers: { apikey: key, authorization: `Bearer ${bearer}`, prefer: "return=representation" },
      ...(body !== undefined && { data: body }),
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
    return text === "" ? null : (JSON.parse(text) as unknown);
  };
  const { anon_key: anonKey, service_role_key: serviceKey } = instance;
  return {
    userId: user.id,
    call: (method, path, body) => send(anonKey, token, method, path, body),
    callAsService: (method, path, body) => send(serviceKey, serviceKey, method, path, body),
  };
}
