import {
  AppError,
  defineExtension,
  type ExtensionContext,
  type ExtensionRoute,
  type OpenedToolKind,
  type ToolAnswer,
  type ToolCall,
  type ToolConfigFault,
  ToolFailure,
} from "swarmbase/extension";
import { forwardCall, type ForwardedRequest, type Forwarding, forwardRequest } from "./forward-call.ts";
import { keyScopesOf } from "./key-scopes.ts";
import { type FunctionTarget, readFunctionsFile } from "./read-functions-file.ts";

export const extension = defineExtension({
  name: "functions",
  summary: "forwards further functions under /functions/v1/ to servers of the operator, for clients and for tools",
  docs: new URL("../README.md", import.meta.url),
  settings: [
    {
      name: "FUNCTIONS_FILE",
      kind: "path",
      default: null,
      description:
        "JSON file that maps further names under `/functions/v1/` to URLs of the operator. Read at the start. See [the guide](../guides/app-functions.md).",
    },
    {
      name: "FUNCTIONS_SECRET",
      kind: "key",
      minLength: 32,
      secret: true,
      default: null,
      description:
        "Signs the calls that are forwarded to the URLs of `FUNCTIONS_FILE`, so that receivers can verify the caller. Required with it.",
    },
  ],
  toolKinds: [
    {
      name: "function",
      open(context) {
        const { FUNCTIONS_FILE: file, FUNCTIONS_SECRET: secret } = context.settings;
        const functions = file === null ? null : readFunctionsFile(file, secret);
        return openFunctionKind(functions, secret ?? "", context);
      },
    },
  ],
  configure({ FUNCTIONS_FILE: file, FUNCTIONS_SECRET: secret }) {
    if (file === null) return {};
    const functions = readFunctionsFile(file, secret);
    return {
      trustedUrls: functions.map(({ url }) => url.href),
      routes: functions.flatMap((target) =>
        target.methods.map(
          (method): ExtensionRoute => ({
            method,
            path: `/functions/v1/${target.name}`,
            access: target.access,
            keyScope: keyScopesOf(method),
            limit: "api",
            isBodyRaw: true,
            handler: (request, context) => forwardRequest({ target, secret: secret ?? "" }, request, context),
          }),
        ),
      ),
    };
  },
});

type Targets = ReadonlyMap<string, FunctionTarget>;

/** Tools that call a function of the file in the name of the person who started the run. Null means that there is no file. */
function openFunctionKind(
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
