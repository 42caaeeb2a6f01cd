import assert from "node:assert/strict";
import https from "node:https";
import { randomUUID } from "node:crypto";
import fc, { type Arbitrary } from "fast-check";
import type { Operation, Parameter } from "../../src/openapi/document.ts";
import type { CallOptions, DescribedService } from "./described-service.ts";
import { createQueryValues } from "./query-values.ts";
import { createSchemaValues, type SchemaValues } from "./schema-values.ts";

export interface FuzzOptions {
  /** Calls of each operation. */
  readonly runs: number;
  /** Left out: another one each time. */
  readonly seed?: number;
}

const PASSWORD = "correct horse battery";
/** A WebSocket, not a request with a response. */
const NO_REQUEST = "GET /realtime/v1/websocket";

interface Materials {
  /** Of rows that exist. */
  readonly ids: readonly string[];
  readonly values: SchemaValues;
}

interface FuzzedCall extends Pick<CallOptions, "params" | "query" | "headers"> {
  /** The text of the body, valid JSON or not. */
  readonly body?: string;
}

/**
 * Calls every operation of the document with generated parameters and bodies, valid and invalid ones. Every response must be
 * documented: its status, its media type, its body, its error code. No response may be an error of the server.
 */
export async function fuzzOperations(api: DescribedService, { runs, seed }: FuzzOptions): Promise<number> {
  const agent = new https.Agent({ keepAlive: true });
  try {
    const user = await signUp(api);
    const ids = await createRows(api, user);
    const materials = { ids, values: createSchemaValues(api.document, ids) };
    let calls = 0;
    const faults: string[] = [];
    for (const name of api.operations.filter((one) => one !== NO_REQUEST)) {
      const isOfAccount = / \/auth\/v1\/(?!admin\/|invite)/.test(name);
      // Some of these calls end the session.
      const token = isOfAccount ? await signUp(api) : tokenFor(api, name, user);
      const judge = async (call: FuzzedCall): Promise<void> => {
        calls += 1;
        const { status, text } = await api.try(name, { ...call, token, agent });
        assert.ok(status < 500 || status === 502, `${name}: ${status} ${text}`);
      };
      const call = callsOf(api, name, materials);
      const settings = { numRuns: runs, endOnFailure: true, ...(seed !== undefined && { seed }) };
      const result = await fc.check(fc.asyncProperty(call, judge), settings);
      if (result.failed) faults.push(`${describeFailure(result)}\n`);
    }
    assert.deepEqual(faults, []);
    return calls;
  } finally {
    agent.destroy();
  }
}

function describeFailure({ seed, counterexample, errorInstance }: fc.RunDetails<[FuzzedCall]>): string {
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${message.slice(0, 600)}\n  sent ${JSON.stringify(counterexample)}, seed ${seed}`;
}

function tokenFor(api: DescribedService, name: string, user: string): string {
  const isForService = / \/auth\/v1\/(?:admin\/|invite)/.test(name);
  return isForService ? api.credentials.service_role_key : user;
}

function callsOf(api: DescribedService, name: string, { values, ids }: Materials): Arbitrary<FuzzedCall> {
  const [method = "", path = ""] = name.split(" ");
  const operation = api.document.paths[path]?.[method.toLowerCase()] ?? assert.fail(name);
  const parameters = (operation.parameters ?? []).map((one) => resolve(api, one));
  const placed = (place: Parameter["in"]): readonly Parameter[] => parameters.filter((one) => one.in === place);
  const isTable = path.startsWith("/rest/v1/");
  const columns = isTable ? placed("query").map((one) => one.name) : [];
  const queries = isTable ? createQueryValues(columns, ids) : null;
  const textsOf = (one: Parameter): Arbitrary<string> => {
    const plain = texts(values, one);
    return queries === null ? plain : fc.oneof({ arbitrary: queries.of(one.name), weight: 8 }, plain);
  };
  const accepted = Object.values(operation.responses).flatMap((one) =>
    "content" in one ? Object.keys(one.content ?? {}) : [],
  );
  return fc.record({
    params: fc.record(Object.fromEntries(placed("path").map((one) => [one.name, pathText(values, one)]))),
    query: someOf(placed("query"), textsOf).map(renderQuery),
    headers: fc
      .tuple(someOf(placed("header"), textsOf), fc.constantFrom("*/*", ...accepted))
      .map(([headers, accept]) => ({
        accept,
        ...Object.fromEntries(
          Object.entries(headers).map(([header, value]) => [header, value.replaceAll(/[^ -~]/g, "?")]),
        ),
      })),
    ...bodyOf(operation, values),
  });
}

function bodyOf({ requestBody }: Operation, values: SchemaValues): { body?: Arbitrary<string> } {
  const schema = requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return {};
  const json = values.any(schema).map((value) => JSON.stringify(value));
  const broken = fc.tuple(json, fc.nat()).map(([text, end]) => text.slice(0, end % (text.length + 1)));
  return { body: fc.oneof({ arbitrary: json, weight: 9 }, { arbitrary: broken, weight: 1 }) };
}

/** Required parameters mostly, others sometimes; a few at a time, because most combinations are rejected by the first one. */
function someOf(
  parameters: readonly Parameter[],
  textsOf: (parameter: Parameter) => Arbitrary<string>,
): Arbitrary<Record<string, string>> {
  const required = parameters.filter((one) => one.required === true).map(({ name }) => name);
  const all = Object.fromEntries(parameters.map((one) => [one.name, textsOf(one)]));
  return fc
    .tuple(
      fc.record(all),
      fc.subarray(
        parameters.map(({ name }) => name),
        { maxLength: Math.min(3, parameters.length) },
      ),
    )
    .map(([given, chosen]) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => required.includes(name) || chosen.includes(name))),
    );
}

function texts(values: SchemaValues, { schema }: Parameter): Arbitrary<string> {
  const valid = values.valid(schema).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return fc.oneof({ arbitrary: valid, weight: 3 }, { arbitrary: fc.string({ maxLength: 10 }), weight: 1 });
}

/** Neither empty nor a dot, which would be another path. */
function pathText(values: SchemaValues, parameter: Parameter): Arbitrary<string> {
  return texts(values, parameter)
    .filter((text) => !/^(?:|\.|\.\.)$/.test(text))
    .map(encodeURIComponent);
}

function renderQuery(given: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(given).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function resolve(api: DescribedService, parameter: NonNullable<Operation["parameters"]>[number]): Parameter {
  if ("schema" in parameter) return parameter;
  return api.document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""] ?? assert.fail(parameter.$ref);
}

async function signUp(api: DescribedService): Promise<string> {
  const body = { email: `${randomUUID()}@example.com`, password: PASSWORD };
  return String((await api.call("POST /auth/v1/signup", 200, { body })).body["access_token"]);
}

/** A row of each table that a user writes. Returns their ids. */
async function createRows(api: DescribedService, token: string): Promise<readonly string[]> {
  const ids: string[] = [];
  const insert = async (table: string, body: object): Promise<string> => {
    const headers = { prefer: "return=representation" };
    const { text } = await api.call(`POST /rest/v1/${table}`, 201, { token, body, headers });
    const [row] = JSON.parse(text) as { id: string }[];
    ids.push(row?.id ?? assert.fail(table));
    return row?.id ?? "";
  };
  const agent = await insert("agents", { name: "Ann" });
  const swarm = await insert("swarms", { name: "Room" });
  const tool = await insert("tools", { name: "look", description: "Looks" });
  await insert("agent_tools", { agent_id: agent, tool_id: tool });
  await insert("swarm_agents", { swarm_id: swarm, agent_id: agent });
  const message = await insert("messages", { swarm_id: swarm, content: "Hello" });
  await insert("message_flags", { message_id: message });
  await insert("read_positions", { swarm_id: swarm, last_read_seq: 1 });
  const config = { pattern: "card" };
  await insert("guardrails", { agent_id: agent, name: "Cards", kind: "pattern", stage: "input", config });
  await insert("webhooks", { name: "Hook", url: "https://localhost/hook", events: ["message.created"] });
  return ids;
}
