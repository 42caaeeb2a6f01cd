import assert from "node:assert/strict";
import { readCredentials } from "./program.ts";

interface CallInit {
  readonly method?: "POST" | "PUT";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a node as its proxy does, with the service role's key. */
export interface NodeClient {
  readonly url: string;
  call(path: string, init?: CallInit): Promise<Response>;
  post(path: string, body: object): Promise<Response>;
  /** Adds a row and returns its id. */
  add(table: string, row: object): Promise<string>;
  addUser(email: string): Promise<string>;
}

export const PROXIED = { TLS_MODE: "proxy", TRUSTED_PROXIES: "127.0.0.1" } as const;

/** For a node that was started with `PROXIED`. */
export async function openNodeClient(dataDir: string): Promise<NodeClient> {
  const { url, service_role_key: key } = await readCredentials(dataDir);
  const call = (path: string, init: CallInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...init,
      headers: {
        "x-forwarded-proto": "https",
        apikey: key,
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...init.headers,
      },
    });
  const post = (path: string, body: object): Promise<Response> =>
    call(path, { method: "POST", body: JSON.stringify(body) });
  const add = async (table: string, row: object): Promise<string> => {
    const answer = await call(`/rest/v1/${table}`, {
      method: "POST",
      body: JSON.stringify(row),
      headers: { prefer: "return=representation" },
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    return ((await answer.json()) as { id: string }[])[0]?.id ?? "";
  };
  const addUser = async (email: string): Promise<string> => {
    const account = { email, password: "correct horse battery", email_confirm: true };
    const answer = await post("/auth/v1/admin/users", account);
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { id: string }).id;
  };
  return { url, call, post, add, addUser };
}

/** A swarm with one agent that can answer. */
export async function addSwarm(node: NodeClient, userId: string, settings: object = {}): Promise<string> {
  const agentId = await node.add("agents", { user_id: userId, name: "Ada", framework: "provider_a" });
  const swarmId = await node.add("swarms", { owner_id: userId, name: "Team", settings });
  const member = await node.post("/rest/v1/swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  assert.equal(member.status, 201, await member.text());
  return swarmId;
}
