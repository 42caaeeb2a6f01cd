import assert from "node:assert/strict";
import type { AuthChangeEvent, SupabaseClient } from "@supabase/supabase-js";
import { newEmail, ok, openAdmin, openClient, PASSWORD } from "./clients.ts";
import type { Service } from "./service.ts";

/** The address to which a link in a mail redirects. */
export async function follow(service: Service, link: string): Promise<URL> {
  const answer = await service.request(link);
  assert.equal(answer.status, 303, answer.text);
  return new URL(answer.headers.location ?? "");
}

export function fragmentOf(url: URL): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
}

/** Reads the parameters that an application gets from the redirect. */
export async function continueSession(service: Service, url: URL): Promise<SupabaseClient> {
  const { access_token = "", refresh_token = "" } = fragmentOf(url);
  const client = openClient(service);
  ok(await client.auth.setSession({ access_token, refresh_token }));
  return client;
}

/** Creates an account with a confirmed address and returns the address. */
export async function createConfirmedUser(service: Service): Promise<string> {
  const email = newEmail();
  ok(await openAdmin(service).auth.admin.createUser({ email, password: PASSWORD, email_confirm: true }));
  return email;
}

export function recordEvents({ auth }: SupabaseClient): AuthChangeEvent[] {
  const events: AuthChangeEvent[] = [];
  auth.onAuthStateChange((event) => void events.push(event));
  return events;
}
