import type pg from "pg";
import { type JsonRecord } from "../../../json/index.ts";
import type { Clock } from "../../../time/index.ts";
import { type FetchPort, sendRequest, type ToolAnswer } from "../http/run-http-tool.ts";
import { searchMessages } from "../sql/search-messages.ts";
import { ToolFailure } from "../tool-failure.ts";
import { calculate } from "./calculate.ts";
import { queryJson } from "./query-json.ts";
import { tellTime } from "./tell-time.ts";

export interface BuiltinPorts {
  readonly guarded: FetchPort;
  readonly pool: pg.Pool;
  readonly clock: Clock;
}

export interface BuiltinCall {
  readonly input: JsonRecord;
  /** Null outside of a swarm. */
  readonly swarmId: string | null;
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

type Builtin = (ports: BuiltinPorts, call: BuiltinCall) => ToolAnswer | Promise<ToolAnswer>;

const DEFAULT_FOUND = 10;
const MOST_FOUND = 50;

/** By name of the tool. Their schemas are in the rows that migrations make; what comes here has been checked by them. */
const BUILTINS: Readonly<Record<string, Builtin>> = {
  current_time: ({ clock }, { input }) => answer(tellTime(clock.now(), textOf(input, "timezone", "UTC"))),
  calculator: (_ports, { input }) => answer(String(calculate(textOf(input, "expression")))),
  json_query: (_ports, { input }) => answer(queryJson(textOf(input, "json"), textOf(input, "path", ""))),
  http_get: ({ guarded }, { input, signal, maxChars }) => {
    const url = URL.parse(textOf(input, "url"));
    if (url === null) throw new ToolFailure("INVALID_TOOL_INPUT", "The URL cannot be read.");
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "") {
      throw new ToolFailure("TOOL_BLOCKED", "The URL must begin with https:// and have no user name or password.");
    }
    const headers = { "user-agent": "swarmbase-tools", accept: "text/*, application/json;q=0.9, */*;q=0.1" };
    return sendRequest(guarded, { url, method: "GET", headers, body: null }, { signal, maxChars });
  },
  search_messages: async ({ pool }, { input, swarmId }) => {
    if (swarmId === null) throw new ToolFailure("TOOL_UNUSABLE", "The tool works within a swarm only.");
    const asked = Number(Object.hasOwn(input, "limit") ? input["limit"] : DEFAULT_FOUND);
    const limit = Math.min(MOST_FOUND, Math.max(1, Math.floor(asked) || DEFAULT_FOUND));
    const found = await searchMessages(pool, { swarmId, text: textOf(input, "query"), limit });
    return answer(JSON.stringify(found.map(({ seq, ...message }) => ({ seq: Number(seq), ...message }))));
  },
};

export function isBuiltin(name: string): boolean {
  return Object.hasOwn(BUILTINS, name);
}

export async function runBuiltin(name: string, ports: BuiltinPorts, call: BuiltinCall): Promise<ToolAnswer> {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined) throw new ToolFailure("TOOL_UNUSABLE", "This installation has no such built-in tool.");
  return builtin(ports, call);
}

function answer(text: string): ToolAnswer {
  return { text, isCut: false, attempts: 1 };
}

function textOf(input: JsonRecord, name: string, missing?: string): string {
  const value = Object.hasOwn(input, name) ? input[name] : missing;
  if (typeof value === "string") return value;
  throw new ToolFailure("INVALID_TOOL_INPUT", `The argument ${name} must be a text.`);
}
