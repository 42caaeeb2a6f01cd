import type { Page } from "playwright-core";
import type { Instance } from "./instance.ts";
import { readSession } from "./visitors.ts";

export interface Visitor {
  readonly userId: string;
  /** Calls the API as the person who is signed in on the page; the answer's JSON, or an error that says what came. */
  call(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** The same with the service role, for what people may not do themselves. */
  callAsService(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
}

/** What the page could do, done beside it: to make things happen that it should notice. */
export async function findVisitor(page: Page, instance: Instance): Promise<Visitor> {
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
