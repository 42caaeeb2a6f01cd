import { readFile } from "node:fs/promises";
import http from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Service, startOwnService } from "../../acceptance/support/service.ts";
import type { HttpTarget } from "../load/http-connection.ts";
import { findFreePort } from "../rest/child.ts";
import type { ProbeReport } from "./loop-probe.ts";
import { type ProviderScript, writeScript } from "./script-marker.ts";

type Headers = Readonly<Record<string, string>>;

export interface SwarmPlan {
  readonly count: number;
  readonly script: ProviderScript;
  /** Fewer agents than swarms are shared by them; by default each swarm has its own. */
  readonly agents?: number;
  /** The asker owns the swarms and holds a grant to the agents, each of which has this many further grants. */
  readonly otherGrants?: number | undefined;
}

export interface Swarmbase {
  readonly target: HttpTarget;
  readonly headers: Headers;
  /** Of a user who asks agents by grants. */
  readonly askerHeaders: Headers;
  /** Returns the ids of the swarms, with one agent each. */
  createSwarms(plan: SwarmPlan): Promise<string[]>;
  /** Since the last reading; `collects` runs the garbage collector first. */
  readProbe(collects: boolean): Promise<ProbeReport>;
  stop(): Promise<void>;
}

const PASSWORD = "correct horse battery staple";
const PROBE = pathToFileURL(resolve(import.meta.dirname, "loop-probe.ts")).href;
const ROWS_AT_ONCE = 100;

/** The service as users start it, with a normally configured provider and without rate limits. */
export async function startSwarmbase(providerPort: number): Promise<Swarmbase> {
  const probePort = await findFreePort();
  const service = await startOwnService({
    NODE_ENV: "production",
    PROVIDER_A_KIND: "openai-compatible",
    PROVIDER_A_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
    PROVIDER_A_API_KEY: "bench",
    PROVIDER_A_MODELS: "bench",
    AGENT_LIMIT_PER_USER: "10000",
    AGENT_RUN_CONCURRENCY: "1000",
    // All runs belong to one user.
    AGENT_USER_SHARE_PERCENT: "100",
    NODE_OPTIONS: `--import ${PROBE}`,
    BENCH_PROBE_PORT: String(probePort),
  });
  try {
    const { credentials, host, port } = service;
    const ca = credentials.ca_cert_file === null ? undefined : await readFile(credentials.ca_cert_file, "utf8");
    const headersOf = (apikey: string, bearer: string): Headers => ({
      apikey,
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
    });
    const { anon_key: anonKey, service_role_key: serviceKey } = credentials;
    const headers = headersOf(anonKey, await signUp(service));
    const askerHeaders = headersOf(anonKey, await signUp(service));
    const callers = { owner: headers, asker: askerHeaders, service: headersOf(serviceKey, serviceKey) };
    return {
      target: { host, port, ca },
      headers,
      askerHeaders,
      createSwarms: (plan) => createSwarms(service, callers, plan),
      readProbe: (collects) => readProbe(probePort, collects),
      stop: () => service.stop(),
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function createSwarms(
  service: Service,
  callers: { readonly owner: Headers; readonly asker: Headers; readonly service: Headers },
  { count, script, agents = count, otherGrants }: SwarmPlan,
): Promise<string[]> {
  const prompt = writeScript(script);
  const swarmOwner = otherGrants === undefined ? callers.owner : callers.asker;
  const insert = async (table: string, rows: readonly object[], headers = swarmOwner): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const { status, text } = await service.request(`/rest/v1/${table}?select=id`, {
        method: "POST",
        headers: { ...headers, prefer: "return=representation" },
        body: JSON.stringify(rows.slice(at, at + ROWS_AT_ONCE)),
      });
      if (status !== 201) throw new Error(`An insert into ${table} was answered with ${status}: ${text}`);
      ids.push(...(JSON.parse(text) as { id: string }[]).map(({ id }) => id));
    }
    return ids;
  };
  const numbers = Array.from({ length: count }, (_, number) => number);
  const agentIds = await insert(
    "agents",
    numbers.slice(0, agents).map((number) => ({
      name: `Agent ${number}`,
      framework: "provider_a",
      system_prompt: prompt,
    })),
    callers.owner,
  );
  if (otherGrants !== undefined)
    for (const agentId of agentIds) {
      const claims = Array.from({ length: otherGrants }, (_, tenant) => ({ tenant: `tenant ${tenant}` }));
      const others = claims.map((claim) => ({ agent_id: agentId, audience: "claim", claim }));
      await insert(
        "agent_grants",
        [{ agent_id: agentId, audience: "everyone", claim: null }, ...others],
        callers.service,
      );
    }
  const swarmIds = await insert(
    "swarms",
    numbers.map((number) => ({ name: `Swarm ${number}` })),
  );
  await insert(
    "swarm_agents",
    numbers.map((number) => ({ swarm_id: swarmIds[number], agent_id: agentIds[number % agents], position: 0 })),
  );
  return swarmIds;
}

async function signUp(service: Service): Promise<string> {
  const { status, text, body } = await service.request("/auth/v1/signup", {
    method: "POST",
    headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
    body: JSON.stringify({ email: `bench-${crypto.randomUUID()}@example.com`, password: PASSWORD }),
  });
  if (status !== 200) throw new Error(`A sign-up was answered with ${status}: ${text}`);
  return String(body["access_token"]);
}

function readProbe(port: number, collects: boolean): Promise<ProbeReport> {
  const { promise, resolve, reject } = Promise.withResolvers<ProbeReport>();
  http
    .get({ host: "127.0.0.1", port, path: collects ? "/collect" : "/", agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve(JSON.parse(text) as ProbeReport));
    })
    .on("error", reject);
  return promise;
}
