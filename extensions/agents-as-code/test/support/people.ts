import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, fetch } from "undici";
import type { Credentials } from "../../../../server/test/support/service.ts";

type Row = Record<string, unknown>;

const PASSWORD = "correct horse battery";

/** A user of the service under test. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  insert(table: string, row: Row): Promise<Row & { readonly id: string }>;
  list(table: string, query?: string): Promise<Row[]>;
  update(table: string, query: string, row: Row): Promise<void>;
}

/** Signs people up over HTTPS, trusting the service's own authority. */
export async function openPeople(credentials: Credentials) {
  const { url, anon_key: anonKey, service_role_key: serviceKey, ca_cert_file: caFile } = credentials;
  const ca = await readFile(caFile ?? "", "utf8");
  const dispatcher = new Agent({ connect: { ca } });
  const send = async (token: string, method: string, path: string, body?: unknown) => {
    const headers = {
      apikey: anonKey,
      authorization: `Bearer ${token}`,
      prefer: "return=representation",
      "content-type": "application/json",
    };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, { method, headers, dispatcher, ...text });
    const content = await answer.text();
    return { status: answer.status, body: content === "" ? null : (JSON.parse(content) as unknown) };
  };
  const signUp = async (): Promise<Person> => {
    const email = `${randomUUID()}@example.com`;
    const { body } = await send(anonKey, "POST", "/auth/v1/signup", { email, password: PASSWORD });
    const { access_token: token, user } = body as { access_token: string; user: { id: string } };
    const call: Person["call"] = (method, path, row) => send(token, method, path, row);
    return {
      id: user.id,
      email,
      password: PASSWORD,
      token,
      call,
      async insert(table, row) {
        const answer = await call("POST", `/rest/v1/${table}`, row);
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
        return (answer.body as (Row & { id: string })[])[0] ?? assert.fail("no row");
      },
      async list(table, query = "") {
        return (await call("GET", `/rest/v1/${table}?order=created_at,id&${query}`)).body as Row[];
      },
      async update(table, query, row) {
        const answer = await call("PATCH", `/rest/v1/${table}?${query}`, row);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal((answer.body as Row[]).length, 1);
      },
    };
  };
  return {
    signUp,
    /** Proves the address, which an invitation by address needs. */
    async prove({ id }: Person): Promise<void> {
      const answer = await send(serviceKey, "PUT", `/auth/v1/admin/users/${id}`, { email_confirm: true });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    },
    /** With the authority of the service, for commands that run here. */
    fetch: ((input: string, init: object) =>
      fetch(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch,
    close: () => dispatcher.close(),
  };
}
