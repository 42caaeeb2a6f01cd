import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { hashClientSecret } from "../../../../src/auth/oauth/clients/client.ts";
import { insertClient } from "../../../../src/auth/sql/oauth-clients.ts";
import { type Answer, bodyOf, callService, startTrustedService } from "../../../hostile/support/service-calls.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import type { ServiceHere } from "../../../support/service-here.ts";

export const PASSWORD = "correct horse battery";
export const REDIRECT = "https://program.example.com/callback?from=swarmbase";

export type Fields = Readonly<Record<string, string>>;

export interface Person {
  readonly id: string;
  readonly email: string;
  token: string;
  refreshToken: string;
}

export interface TestClient {
  readonly id: string;
  readonly redirectUri: string;
  readonly secret: string | null;
  readonly method: "none" | "client_secret_basic" | "client_secret_post";
}

/** Untyped: assertions check the members. */
export type Body = Answer["body"];

/** The request of a client, with what only the client knows. */
export interface Begun {
  readonly id: string;
  readonly verifier: string;
  readonly page: URL;
}

export interface RawAnswer extends Answer {
  readonly headers: Headers;
}

/** A service, people who use it, and programs that act as clients of its authorization server. */
export class OAuthStage {
  readonly database: TestDatabase;
  readonly service: ServiceHere;
  readonly url: string;
  readonly issuer: string;
  #people = 0;

  constructor(database: TestDatabase, service: ServiceHere) {
    this.database = database;
    this.service = service;
    this.url = service.credentials.url;
    this.issuer = `${this.url}/auth/v1`;
  }

  call(operation: string, bearer?: string | null, body?: unknown): Promise<Answer> {
    return callService(this.service.credentials, operation, bearer, body);
  }

  async callOk(...args: Parameters<OAuthStage["call"]>): Promise<Body> {
    return bodyOf(await this.call(...args), args[0]);
  }

  async sql(text: string, values: readonly unknown[] = []): Promise<Body[]> {
    return (await this.database.owner.query(text, [...values])).rows;
  }

  async signUp(): Promise<Person> {
    this.#people += 1;
    const email = `program-user-${this.#people}@example.com`;
    const made = await this.callOk("POST /auth/v1/signup", null, { email, password: PASSWORD });
    return { id: made.user.id, email, token: made.access_token, refreshToken: made.refresh_token };
  }

  async addClient(
    columns: Partial<Parameters<typeof insertClient>[1]> & { readonly secret?: string } = {},
  ): Promise<TestClient> {
    const { secret = null, ...given } = columns;
    const method = given.token_endpoint_auth_method ?? (secret === null ? "none" : "client_secret_post");
    const row = await insertClient(this.database.owner, {
      id: randomUUID(),
      registration: "dynamic",
      name: "A program",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: method,
      secret_hash: secret === null ? null : hashClientSecret(secret),
      ...given,
    });
    return { id: row.id, redirectUri: row.redirect_uris[0] ?? "", secret, method };
  }

  /** GET /oauth/authorize, without following the redirect. `query` can repeat a parameter. */
  async authorize(query: Fields | readonly (readonly [string, string])[], headers: Fields = {}): Promise<RawAnswer> {
    const pairs = Array.isArray(query) ? query : Object.entries(query);
    const search = new URLSearchParams(pairs as string[][]);
    return readRaw(await fetch(`${this.issuer}/oauth/authorize?${search}`, { redirect: "manual", headers }));
  }

  requestOf(client: TestClient, more: Fields = {}): { readonly query: Fields; readonly verifier: string } {
    const verifier = randomBytes(32).toString("base64url");
    const query = {
      response_type: "code",
      client_id: client.id,
      redirect_uri: client.redirectUri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...more,
    };
    return { query, verifier };
  }

  async begin(client: TestClient, more: Fields = {}): Promise<Begun> {
    const { query, verifier } = this.requestOf(client, more);
    const { status, headers } = await this.authorize(query);
    assert.equal(status, 303);
    const page = new URL(headers.get("location") ?? "");
    const id = page.searchParams.get("authorization_id");
    assert.ok(id !== null, page.href);
    return { id, verifier, page };
  }

  /** Returns the parameters that the program gets. */
  async answer(person: Person, { id }: Pick<Begun, "id">, body: object = { action: "approve" }): Promise<URL> {
    const { redirect_url: url } = await this.callOk(
      `POST /auth/v1/oauth/authorizations/${id}/consent`,
      person.token,
      body,
    );
    return new URL(url);
  }

  /** POST with a form, as the client that authenticates in its way. Members with the value "" are left out. */
  async post(path: string, client: TestClient | null, fields: Fields, headers: Fields = {}): Promise<RawAnswer> {
    const form = new URLSearchParams({
      ...(client !== null && client.method !== "client_secret_basic" && { client_id: client.id }),
      ...(client?.method === "client_secret_post" && { client_secret: client.secret ?? "" }),
      ...fields,
    });
    for (const [name, value] of Array.from(form)) if (value === "") form.delete(name);
    const basic = `${encodeURIComponent(client?.id ?? "")}:${encodeURIComponent(client?.secret ?? "")}`;
    const authorization = `Basic ${Buffer.from(basic).toString("base64")}`;
    const sent = { ...(client?.method === "client_secret_basic" && { authorization }), ...headers };
    return readRaw(await fetch(`${this.issuer}${path}`, { method: "POST", body: form, headers: sent }));
  }

  redeem(client: TestClient, code: string, { verifier }: Pick<Begun, "verifier">, more: Fields = {}) {
    const fields = { grant_type: "authorization_code", code, code_verifier: verifier };
    return this.post("/oauth/token", client, { ...fields, redirect_uri: client.redirectUri, ...more });
  }

  refresh(client: TestClient, token: string, more: Fields = {}): Promise<RawAnswer> {
    return this.post("/oauth/token", client, { grant_type: "refresh_token", refresh_token: token, ...more });
  }

  /** A code that the person has approved. */
  async getCode(client: TestClient, person: Person, more: Fields = {}): Promise<Begun & { readonly code: string }> {
    const begun = await this.begin(client, more);
    const code = (await this.answer(person, begun)).searchParams.get("code");
    assert.ok(code !== null);
    return { ...begun, code };
  }

  /** The tokens of a session of the client. */
  async connect(client: TestClient, person: Person, more: Fields = {}): Promise<Body> {
    const begun = await this.getCode(client, person, more);
    const { status, body } = await this.redeem(client, begun.code, begun);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** Whether an access token is accepted for the API. */
  async isLive(token: string): Promise<boolean> {
    const { status } = await this.call("GET /rest/v1/agents", token);
    assert.ok(status === 200 || status === 401, String(status));
    return status === 200;
  }
}

async function readRaw(response: Response): Promise<RawAnswer> {
  const text = await response.text();
  let body: unknown = text;
  try {
    body = text === "" ? null : JSON.parse(text);
  } catch {
    // A page.
  }
  return { status: response.status, body, headers: response.headers };
}

/** The error that a client gets: of the answer itself, or of the redirect. */
export function errorOf({ status, body, headers }: RawAnswer): string {
  const location = headers.get("location");
  if (location === null) return `${status} ${body?.error}`;
  return `redirect ${new URL(location).searchParams.get("error")}`;
}

export async function openOAuthStage(cleanup: Cleanup, env: Fields = {}): Promise<OAuthStage> {
  const database = await createTestDatabase(cleanup);
  return new OAuthStage(database, await startTrustedService(cleanup, database, env));
}
