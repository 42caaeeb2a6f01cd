import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Credentials } from "../testing/run-instance.ts";

export interface Person {
  readonly name: string;
  readonly id: string;
  readonly client: SupabaseClient;
}

interface Account {
  readonly email: string;
  readonly password: string;
}

export type CreatedRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** A new user with their own client. */
export async function createPerson({ url, anon_key }: Credentials, name: string): Promise<Person> {
  const client = createClient<unknown>(url, anon_key);
  const account: Account = { email: `${name.toLowerCase()}@example.com`, password: `correct horse ${name}` };
  const { data, error } = await client.auth.signUp({ ...account, options: { data: { full_name: name } } });
  if (error !== null) throw error;
  if (data.user === null) throw new Error(`no account came of the sign-up of ${name}`);
  return { name, id: data.user.id, client };
}

export async function signIn({ url, anon_key }: Credentials, name: string, account: Account): Promise<Person> {
  const client = createClient<unknown>(url, anon_key);
  const { data, error } = await client.auth.signInWithPassword(account);
  if (error !== null) throw error;
  return { name, id: data.user.id, client };
}

/** Returns the data of a response; throws if it is an error. */
export function dataOf<T>({ data, error }: { readonly data: unknown; readonly error: Error | null }): T {
  if (error !== null) throw error;
  return data as T;
}

/** Inserts one row and returns it. */
export async function add({ client }: Person, table: string, row: object): Promise<CreatedRow> {
  return dataOf(await client.from(table).insert(row).select().single());
}
