import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import pg from "pg";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../../server/test/support/extended-service.ts";

type Closers = (() => Promise<void>)[];

export interface Customer extends User {
  readonly id: string;
}

export interface ToolUse {
  readonly status: string;
  readonly output: Parsed;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A service with the database of an app, whose agent every customer may ask. */
export interface Shop {
  readonly sql: pg.Client;
  /** The owner of the agent. */
  readonly owner: Customer;
  readonly agentId: string;
  newCustomer(name: string): Promise<Customer>;
  /** Parsed JSON of a request of the app, or of the holder of a token or key; asserts the status. */
  send(method: string, path: string, body?: unknown, status?: number, token?: string): Promise<Parsed>;
  /** A tool of the app, which the agent has. */
  newTool(name: string, config: object, more?: object): Promise<string>;
  /** The only call of a tool in a run of the body, which may name a token or key. */
  use(body: object, token?: string): Promise<ToolUse>;
  useOf(runId: string): Promise<ToolUse>;
  /** Changes the schema of the app. Resolves when the service knows. */
  change(statements: string): Promise<void>;
}

export async function openShop(closers: Closers, env: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  const service: ExtendedService = await startExtendedService(cleanup, {
    EXTENSIONS: "rpc-tools",
    DB_STATEMENT_TIMEOUT_MS: "120000",
    ...env,
  });
  const sql = new pg.Client({ connectionString: service.databaseUrl });
  await sql.connect();
  cleanup.after(() => sql.end());
  const { anon_key: anonKey, service_role_key: serviceKey } = service.service.credentials;

  const send: Shop["send"] = async (method, path, body, status = 200, token = serviceKey) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await service.fetch(new URL(path, service.url), {
      method,
      headers: { ...headers, apikey: token === serviceKey ? token : anonKey, prefer: "return=representation" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, status, text);
    return text === "" ? null : JSON.parse(text);
  };
  const newCustomer = async (name: string): Promise<Customer> => {
    const user = await service.signUp(name);
    const { id } = await user.send("GET", "/auth/v1/user");
    return { ...user, id };
  };
  const owner = await newCustomer("owner");
  const { id: agentId } = await owner.insert("agents", { name: "Ada" });
  await send("POST", "/rest/v1/agent_grants", { agent_id: agentId, audience: "everyone" }, 201);
  await send("PATCH", `/rest/v1/agents?id=eq.${agentId}`, { acts_for_askers: true });
  let changes = 0;
  const change: Shop["change"] = async (statements) => {
    const mark = `mark_${(changes += 1)}`;
    await sql.query(`${statements}; create function public.${mark}() returns int language sql as 'select 1'`);
    // A name that REST does not know yet makes it read the schema again.
    await owner.send("POST", `/rest/v1/rpc/${mark}`, {});
  };
  await change(await readFile(new URL("shop.sql", import.meta.url), "utf8"));

  const useOf: Shop["useOf"] = async (runId) => {
    const { rows } = await sql.query<ToolUse>(
      `select x.status, x.error, p.output from public.tool_executions x
       left join public.tool_execution_payloads p on p.tool_execution_id = x.id where x.run_id = $1`,
      [runId],
    );
    const [only, ...others] = rows;
    assert.ok(only !== undefined && others.length === 0, `${rows.length} calls of tools`);
    return only;
  };
  return {
    sql,
    owner,
    agentId,
    newCustomer,
    send,
    newTool: async (name, config, more = {}) => {
      const row = { name, description: "A tool.", kind: "rpc", visibility: "public", owner_id: null, config, ...more };
      const [{ id }] = await send("POST", "/rest/v1/tools", row, 201);
      await send("POST", "/rest/v1/agent_tools", { agent_id: agentId, tool_id: id }, 201);
      return id;
    },
    use: async (body, token) => {
      const { run_id: runId } = await send("POST", "/functions/v1/agent-respond", body, 200, token);
      return useOf(runId);
    },
    useOf,
    change,
  };
}
