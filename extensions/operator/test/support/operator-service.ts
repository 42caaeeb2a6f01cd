import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TOTP } from "otpauth";
import { Agent, fetch as fetchWith } from "undici";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../../../../server/test/support/database.ts";
import { runHere } from "../../../../server/test/support/run-here.ts";
import { startServiceHere } from "../../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../../server/test/support/temporary-folder.ts";

export const EXTENSION = fileURLToPath(new URL("../../src/index.ts", import.meta.url));
export const PASSWORD = "correct horse battery";

/** Untyped: assertions check its members. */
type Parsed = ReturnType<typeof JSON.parse>;

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Parsed JSON; null for other bodies. */
  readonly body: Parsed;
  readonly headers: Headers;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface OperatorService {
  readonly database: TestDatabase;
  readonly serviceKey: string;
  readonly url: string;
  readonly anonKey: string;
  readonly authorityFile: string;
  call(bearer: string, method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
  /** The texts of a response as they arrive. */
  follow(bearer: string, path: string): AsyncGenerator<string, void, void>;
  signUp(name: string): Promise<Person>;
  /** The token of a session that has verified a new factor. */
  verifyFactor(person: Person): Promise<string>;
  /** A user with a second factor whom the command line has made an operator. */
  createOperator(name: string): Promise<Person>;
  runOperators(...args: readonly string[]): ReturnType<typeof runHere>;
}

/** A service with the extension, which is enabled unless the settings say otherwise. */
export async function startOperatorService(
  cleanup: Cleanup,
  more: Readonly<Record<string, string>> = {},
): Promise<OperatorService> {
  const database = await createTestDatabase(cleanup);
  const env = {
    DATABASE_URL: database.adminUrl,
    MASTER_KEY: database.masterKey,
    EXTENSIONS: EXTENSION,
    OPERATOR_ENABLED: "true",
    ...more,
  };
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-operator-");
  const { credentials } = await startServiceHere(cleanup, { dataDir, env });
  const { url, anon_key: apikey, service_role_key: serviceKey, ca_cert_file: authority } = credentials;
  const dispatcher = new Agent({ connect: { ca: readFileSync(authority ?? "", "utf8") } });
  cleanup.after(() => dispatcher.destroy());

  const call: OperatorService["call"] = async (bearer, method, path, body, headers = {}) => {
    const isText = typeof body === "string";
    const response = await fetchWith(new URL(path, url), {
      method,
      dispatcher,
      headers: {
        apikey,
        ...(bearer !== "" && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { "content-type": isText ? "text/csv" : "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("/json") === true;
    const answered = response.headers as unknown as Headers;
    return { status: response.status, text, body: isJson ? JSON.parse(text) : null, headers: answered };
  };

  const follow: OperatorService["follow"] = async function* (bearer, path) {
    const headers = { apikey, authorization: `Bearer ${bearer}` };
    const { body } = await fetchWith(new URL(path, url), { dispatcher, headers });
    for await (const bytes of body ?? []) yield Buffer.from(bytes as Uint8Array).toString();
  };

  const signUp: OperatorService["signUp"] = async (name) => {
    const email = `${name}@example.com`;
    const { status, body, text } = await call("", "POST", "/auth/v1/signup", { email, password: PASSWORD });
    assert.equal(status, 200, text);
    return { id: body.user.id, email, token: body.access_token };
  };

  const verifyFactor: OperatorService["verifyFactor"] = async ({ token }) => {
    const enrolled = await call(token, "POST", "/auth/v1/factors", { factor_type: "totp", friendly_name: "phone" });
    const { id, totp } = enrolled.body;
    const challenge = await call(token, "POST", `/auth/v1/factors/${id}/challenge`, {});
    const code = new TOTP({ secret: totp.secret }).generate();
    const body = { challenge_id: challenge.body.id, code };
    const verified = await call(token, "POST", `/auth/v1/factors/${id}/verify`, body);
    assert.equal(verified.status, 200, verified.text);
    return verified.body.access_token;
  };

  const runOperators: OperatorService["runOperators"] = (...args) =>
    runHere(["operators", ...args], { ...env, DATA_DIR: dataDir });

  const createOperator: OperatorService["createOperator"] = async (name) => {
    const person = await signUp(name);
    assert.equal((await runOperators("add", person.id)).code, 0);
    return { ...person, token: await verifyFactor(person) };
  };

  return {
    database,
    serviceKey,
    url,
    anonKey: apikey,
    authorityFile: authority ?? "",
    call,
    follow,
    signUp,
    verifyFactor,
    createOperator,
    runOperators,
  };
}
