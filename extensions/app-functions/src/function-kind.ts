import {
  AppError,
  type ExtensionContext,
  type OpenedToolKind,
  type ToolAnswer,
  type ToolCall,
  type ToolConfigFault,
  ToolFailure,
} from "swarmbase/extension";
import { type Forwarding, forwardCall, type ForwardedRequest } from "./forward-call.ts";
import { keyScopesOf } from "./key-scopes.ts";
import type { FunctionTarget } from "./read-functions-file.ts";

type Targets = ReadonlyMap<string, FunctionTarget>;

/** Tools that call a function of the file in the name of the person who started the run. Null: there is no file. */
export function openFunctionKind(
  functions: readonly FunctionTarget[] | null,
  secret: string,
  context: ExtensionContext,
): OpenedToolKind {
  const targets = functions && new Map(functions.map((target) => [target.name, target]));
  return {
    findConfigFaults: (config) => findConfigFaults(config, targets),
    async run(call) {
      const target = targets?.get(String(call.config["function"]));
      if (target === undefined) throw new ToolFailure("TOOL_UNUSABLE", "The tool's function is not available.");
      try {
        return await callFunction({ target, secret }, call, context);
      } catch (error) {
        throw toToolFailure(error);
      }
    },
  };
}

function findConfigFaults(config: Readonly<Record<string, unknown>>, targets: Targets | null): ToolConfigFault[] {
  const { function: name, ...others } = config;
  const fault = findNameFault(name, targets);
  return [
    ...(fault === null ? [] : [{ path: "function", message: fault }]),
    ...Object.keys(others).map((path) => ({ path, message: "is not known" })),
  ];
}

function findNameFault(name: unknown, targets: Targets | null): string | null {
  if (targets === null) return "cannot be called: FUNCTIONS_FILE is not set on this service";
  const target = typeof name === "string" ? targets.get(name) : undefined;
  if (target === undefined) return "must be the name of a function in FUNCTIONS_FILE";
  return target.access === "service" ? "is only for the service role" : null;
}

async function callFunction(forwarding: Forwarding, call: ToolCall, context: ExtensionContext): Promise<ToolAnswer> {
  const { methods } = forwarding.target;
  const method = methods.find((each) => each === "POST") ?? methods[0] ?? "POST";
  const { principal } = await call.starter.open();
  context.requireKeyScope(principal, keyScopesOf(method));
  // Checks the session and the second factor, as the route does.
  await context.database.asCaller(principal, async () => {});
  const { session_id: _, ...claims } = principal.claims;
  const caller = { role: principal.role, userId: principal.userId, claims };
  const response = await forwardCall(forwarding, { ...toRequest(call, method, context), caller }, context);
  call.hide?.(response.signature.replace(/^sha256=/, ""));
  const answer = await context.toToolAnswer(response, call.maxChars);
  call.signal.throwIfAborted();
  return answer;
}

/** The arguments are the body, and the query of a method without one. A repeated call has the same id. */
function toRequest(
  { executionId, input, signal, traceparent }: ToolCall,
  method: string,
  context: ExtensionContext,
): Omit<ForwardedRequest, "caller"> {
  const id = executionId ?? context.newId();
  return {
    id,
    method,
    search: method === "GET" ? toSearch(input) : "",
    headers: {
      accept: "application/json, text/*;q=0.9, */*;q=0.1",
      "content-type": "application/json",
      "idempotency-key": id,
      traceparent,
      "user-agent": "swarmbase-tools",
    },
    body: Buffer.from(JSON.stringify(input)),
    signal,
  };
}

function toSearch(input: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(input).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** Without the cause, which can name hosts of the operator. */
function toToolFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const isUnreachable = error.code === "FUNCTION_FAILED" || error.code === "FUNCTION_TIMEOUT";
  return new ToolFailure(isUnreachable ? "TOOL_UNREACHABLE" : "TOOL_UNUSABLE", error.message, {
    isRetryable: isUnreachable,
    cause: error,
  });
}
