import { z } from "zod";
import type { ImportCall, ToolOutcome, ToolModule } from "../agents/index.ts";
import { type KeyScope, requireKeyScope } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { invalidBodyError, parseFunctionBody } from "./parse-function-body.ts";

const printable = z.string().regex(/^[\x20-\x7e]{1,4096}$/, "must be 1 to 4096 characters of printable ASCII");

/** Stored as it is. */
const serverUrl = z
  .string()
  .min(1)
  .max(2048)
  .refine((url) => !url.includes("\0"), "must not have zero bytes");

const secretsSchema = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, "must be a name of letters, digits, _ and -"), printable)
  .refine((secrets) => Object.keys(secrets).length <= 20, "must have at most 20 entries");

/** Whose tokens: those of the owner of tools, or of an account that a person has connected. */
const toolAccount = z.enum(["owner", "asker"]);

/** The tools module reports further faults. */
const authSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), secret: z.string() }),
  z.strictObject({ type: z.literal("basic"), username: z.string(), secret: z.string() }),
  z.strictObject({ type: z.literal("header"), header: z.string(), secret: z.string() }),
  z.strictObject({ type: z.literal("oauth"), account: toolAccount.optional() }),
]);

const serverSchema = z.object({
  url: z.string().max(2048).optional(),
  /** Instead of the URL: the name of a server that the operator has listed. */
  server: z.string().min(1).max(64).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  auth: authSchema.optional(),
  secrets: secretsSchema.default({}),
});

const bodySchema = z.discriminatedUnion("action", [
  serverSchema.extend({ action: z.literal("list"), tool_id: z.guid().optional() }),
  serverSchema.extend({
    action: z.literal("import"),
    names: z.array(z.string().min(1).max(256)).min(1).max(100),
    visibility: z.enum(["private", "shared", "public"]).default("private"),
    /** With the service role: the owner of the tools. Without it, they have no owner and are public. */
    user_id: z.guid().optional(),
  }),
  z.object({
    action: z.literal("authorize"),
    url: serverUrl.optional(),
    /** Instead of the URL: a call of a run of yours that waits until you connect an account. */
    tool_execution_id: z.guid().optional(),
    account: toolAccount.optional(),
    scope: printable.optional(),
    /** Of a client that is registered at the authorization server. Absent means that the service registers itself. */
    client_id: printable.optional(),
    client_secret: printable.optional(),
    /** Where the browser continues afterwards. */
    redirect_to: z.string().max(2048).optional(),
    user_id: z.guid().optional(),
  }),
  z.object({
    action: z.literal("finish_authorization"),
    state: z.string().min(1).max(200),
    code: printable,
    iss: z.string().max(2048).optional(),
  }),
  z.object({ action: z.literal("list_authorizations"), user_id: z.guid().optional() }),
  z.object({
    action: z.literal("revoke_authorization"),
    url: serverUrl,
    account: toolAccount.optional(),
    user_id: z.guid().optional(),
  }),
  z.object({ action: z.literal("test"), tool_id: z.guid(), input: z.record(z.string(), z.unknown()).default({}) }),
]);

type Body = z.infer<typeof bodySchema>;

/** Who authorizes the service decides what agents do in their name, so it is a person. */
const KEY_SCOPES: Readonly<Record<Body["action"], KeyScope>> = {
  list: ["write"],
  import: ["write"],
  authorize: null,
  finish_authorization: null,
  list_authorizations: ["read"],
  revoke_authorization: null,
  test: ["write"],
};

export const TOOLS = {
  name: "tools",
  access: "account",
  keyScope: "checked",
  // Each action calls an external server.
  limit: "tool",
  body: bodySchema,
} as const satisfies FunctionDescription;

/** Lists the tools of an MCP server, imports them, calls one tool as a test, or authorizes the service at a server. */
export function createTools(tools: ToolModule): NamedFunction {
  return defineFunction(TOOLS, async (call) => {
    const callerId = callerIdOf(call.principal);
    const body = parseFunctionBody(bodySchema, call);
    requireKeyScope(call.principal, KEY_SCOPES[body.action]);
    switch (body.action) {
      case "list":
        return { status: 200, body: { tools: await tools.listRemote({ callerId, server: chooseServer(body) }) } };
      case "import": {
        const { names, visibility } = body;
        const ownerId = chooseOwner(callerId, body);
        requireOne({ url: body.url, server: body.server });
        const made = await tools.importRemote({ callerId, ownerId, server: body, names, visibility });
        return { status: made.imported.length > 0 ? 201 : 200, body: made };
      }
      case "authorize":
        return { status: 200, body: await authorize(tools.authorizations, callerId, body) };
      case "finish_authorization": {
        const { state, code, iss } = body;
        return { status: 200, body: await tools.authorizations.finish({ callerId, state, code, iss }) };
      }
      case "list_authorizations": {
        const ownerId = chooseUser(callerId, body.user_id);
        return { status: 200, body: { authorizations: await tools.authorizations.list(ownerId) } };
      }
      case "revoke_authorization": {
        const ownerId = chooseUser(callerId, body.user_id);
        return {
          status: 200,
          body: { revoked: await tools.authorizations.revoke({ ownerId, account: body.account, url: body.url }) },
        };
      }
      case "test": {
        const { principal } = call;
        const { outcome } = await tools.test({ principal, toolId: body.tool_id, input: body.input });
        return { status: 200, body: renderOutcome(body.tool_id, outcome) };
      }
    }
  });
}

async function authorize(
  authorizations: ToolModule["authorizations"],
  callerId: string | null,
  body: Extract<Body, { action: "authorize" }>,
): ReturnType<ToolModule["authorizations"]["start"]> {
  const { url, tool_execution_id: executionId, account, scope, redirect_to: redirectTo } = body;
  const { client_id: clientId, client_secret: clientSecret } = body;
  requireOne({ url, tool_execution_id: executionId });
  const ownerId = chooseUser(callerId, body.user_id);
  // Nobody connects an account in the name of somebody else.
  if (callerId === null && (account === "asker" || url === undefined))
    throw new AppError("FORBIDDEN", "Only a person can connect an account");
  if (url !== undefined)
    return authorizations.start({ ownerId, account, url, scope, clientId, clientSecret, redirectTo });
  return authorizations.connect({ personId: callerId ?? "", executionId: executionId ?? "", redirectTo });
}

function chooseServer(call: Extract<Body, { action: "list" }>): Parameters<ToolModule["listRemote"]>[0]["server"] {
  const { tool_id: toolId, url, server } = call;
  requireOne({ url, server, tool_id: toolId });
  return toolId === undefined ? call : { toolId };
}

/** The members are alternatives. */
function requireOne(members: Readonly<Record<string, string | undefined>>): void {
  const given = Object.values(members).filter((value) => value !== undefined);
  if (given.length === 1) return;
  throw invalidBodyError({ url: `is needed, or one of ${Object.keys(members).slice(1).join(", ")} in its place` });
}

function chooseOwner(callerId: string | null, call: Extract<Body, { action: "import" }>): ImportCall["ownerId"] {
  const ownerId = chooseUser(callerId, call.user_id);
  if (ownerId === null && call.visibility !== "public")
    throw invalidBodyError({ visibility: "must be public for tools without an owner" });
  return ownerId;
}

/** Only the service role acts for others. Null means tools without an owner. */
function chooseUser(callerId: string | null, named: string | undefined): string | null {
  if (callerId === null) return named ?? null;
  if (named === undefined || named.toLowerCase() === callerId) return callerId;
  throw new AppError("FORBIDDEN", "You cannot act for another user");
}

/** A failed call is a successful response, because the call was made. */
function renderOutcome(toolId: string, outcome: ToolOutcome): Record<string, unknown> {
  const { status, attempts, durationMs } = outcome;
  const common = { tool_id: toolId, success: status === "succeeded", status, attempts, duration_ms: durationMs };
  if (outcome.status !== "succeeded") {
    return { ...common, error: outcome.error, ...(outcome.text !== undefined && { output: outcome.text }) };
  }
  return { ...common, output: outcome.output, output_chars: outcome.outputChars, truncated: outcome.isTruncated };
}
