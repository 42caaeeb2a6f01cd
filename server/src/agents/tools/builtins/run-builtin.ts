import type pg from "pg";
import { ToolFailure } from "../../../errors/index.ts";
import { type JsonRecord } from "../../../json/index.ts";
import type { Clock } from "../../../time/index.ts";
import { type FetchPort, sendRequest } from "../http/run-http-tool.ts";
import { searchMessages } from "../sql/search-messages.ts";
import { invalidInput } from "../invalid-input.ts";
import type { ToolAnswer, ToolCall } from "../tool-kind.ts";
import type { ToolWait } from "../tool-port.ts";
import { calculate } from "./calculate.ts";
import { formatTime } from "./format-time.ts";
import { queryJson } from "./query-json.ts";
import { readWait } from "./read-wait.ts";

export interface BuiltinPorts {
  readonly guarded: FetchPort;
  readonly pool: pg.Pool;
  readonly clock: Clock;
}

type Builtin = (ports: BuiltinPorts, call: ToolCall) => ToolAnswer | Promise<ToolAnswer>;

const DEFAULT_FOUND = 10;
const MAX_FOUND = 50;

/** By name of the tool. Migrations create their rows with the input schemas, against which the input has been checked. */
const BUILTINS: Readonly<Record<string, Builtin>> = {
  current_time: ({ clock }, { input }) => answer(formatTime(clock.now(), textOf(input, "timezone", "UTC"))),
  calculator: (_ports, { input }) => answer(String(calculate(textOf(input, "expression")))),
  json_query: (_ports, { input }) => answer(queryJson(textOf(input, "json"), textOf(input, "path", ""))),
  sleep: (ports, call) => waits(ports, call, "time"),
  wait_for_event: (ports, call) => waits(ports, call, "event"),
  http_get: ({ guarded }, { input, signal, maxChars, maxRetries }) => {
    const url = textOf(input, "url");
    if (!URL.canParse(url)) throw invalidInput("The URL is not valid.");
    const headers = { "user-agent": "swarmbase-tools", accept: "text/*, application/json;q=0.9, */*;q=0.1" };
    return sendRequest(guarded, { url, method: "GET", headers, body: null }, { signal, maxChars, maxRetries });
  },
  search_messages: async ({ pool }, { input, swarmId }) => {
    if (swarmId === null) throw new ToolFailure("TOOL_UNUSABLE", "The tool works only within a swarm.");
    const requested = Number(Object.hasOwn(input, "limit") ? input["limit"] : DEFAULT_FOUND);
    const limit = Math.min(MAX_FOUND, Math.max(1, Math.floor(requested) || DEFAULT_FOUND));
    const found = await searchMessages(pool, { swarmId, text: textOf(input, "query"), limit });
    return answer(JSON.stringify(found.map(({ seq, ...message }) => ({ seq: Number(seq), ...message }))));
  },
};

export function isBuiltin(name: string): boolean {
  return Object.hasOwn(BUILTINS, name);
}

export async function runBuiltin(ports: BuiltinPorts, call: ToolCall): Promise<ToolAnswer> {
  const builtin = isBuiltin(call.name) ? BUILTINS[call.name] : undefined;
  if (builtin === undefined) throw new ToolFailure("TOOL_UNUSABLE", "This installation has no such built-in tool.");
  return builtin(ports, call);
}

function answer(text: string): ToolAnswer {
  return { text, isCut: false, attempts: 1 };
}

function waits({ clock }: BuiltinPorts, { input, executionId }: ToolCall, kind: ToolWait["kind"]): ToolAnswer {
  if (executionId === undefined) throw new ToolFailure("TOOL_UNUSABLE", "The tool works only within a run.");
  return { ...answer(""), wait: readWait(input, kind, clock.now()) };
}

function textOf(input: JsonRecord, name: string, missing?: string): string {
  const value = Object.hasOwn(input, name) ? input[name] : missing;
  if (typeof value === "string") return value;
  throw invalidInput(`The argument ${name} must be a string.`);
}
