import assert from "node:assert/strict";
import type { Credentials } from "../../../../server/test/support/service.ts";

export type Row = Readonly<Record<string, unknown>>;

/** What a user of the service can do, over its interface. */
export class Account {
  readonly email: string;
  readonly #send: typeof fetch;
  readonly #credentials: Credentials;
  token = "";
  id = "";

  constructor(email: string, credentials: Credentials, send: typeof fetch) {
    this.email = email;
    this.#credentials = credentials;
    this.#send = send;
  }

  async enter(path: "signup" | "token?grant_type=password"): Promise<this> {
    const session = await this.call("POST", `/auth/v1/${path}`, {
      email: this.email,
      password: "correct horse battery",
    });
    const { access_token: token, user } = session as { access_token: string; user: { id: string } };
    this.token = token;
    this.id = user.id;
    return this;
  }

  async call(method: string, path: string, body?: unknown): Promise<Row> {
    const response = await this.#send(new URL(path, this.#credentials.url), {
      method,
      headers: {
        apikey: this.#credentials.anon_key,
        prefer: "return=representation",
        "content-type": "application/json",
        ...(this.token !== "" && { authorization: `Bearer ${this.token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Row;
  }

  /** Stores a row. Returns its id. */
  async insert(table: string, row: object): Promise<string> {
    const [stored] = (await this.call("POST", `/rest/v1/${table}`, row)) as unknown as Row[];
    return String(stored?.["id"]);
  }

  async update(rows: string, change: object): Promise<void> {
    await this.call("PATCH", `/rest/v1/${rows}`, change);
  }

  invoke(name: string, body: object): Promise<Row> {
    return this.call("POST", `/functions/v1/${name}`, body);
  }
}
