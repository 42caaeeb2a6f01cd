import { type ToolAccounts, type ToolAnswer, type ToolCall, ToolFailure } from "swarmbase/extension";
import { readResult } from "./read-result.ts";
import { type McpAuth, type McpConfig, readConfig } from "./mcp-config.ts";
import { withoutConnecting } from "./oauth/connected-accounts.ts";
import type { HeldCall } from "./questions/held-call.ts";
import type { McpLoan, McpPool } from "./sessions/mcp-pool.ts";
import type { McpTarget } from "./sessions/mcp-target.ts";
import { listSentTokens } from "./sessions/open-client.ts";

export async function runMcpTool(pool: McpPool, accounts: ToolAccounts, call: ToolCall): Promise<ToolAnswer> {
  const read = readConfig(call.config);
  if (!read.ok) throw new ToolFailure("TOOL_UNUSABLE", "The tool's configuration is not valid.");
  const { config } = read;
  if (!("url" in config) || config.auth?.type !== "oauth" || config.auth.account !== "asker")
    return callTool(pool, config, call, toTarget(pool, config, call.ownerId, call.secrets));
  const { url, headers } = config;
  return accounts.use(call, { protocol: "mcp", url }, async (tokens) => {
    const { userId: ownerId } = call.starter;
    // Sessions outlive the call, so they have tokens of their own; whether the tool may act for the starter is asked once.
    await tokens.take();
    const pooled = pool.tokensOf({ ownerId, account: "asker", url });
    return callTool(pool, config, withoutConnecting(call), { ownerId, url, headers, tokens: pooled, account: "asker" });
  });
}

async function callTool(pool: McpPool, config: McpConfig, call: ToolCall, target: McpTarget): Promise<ToolAnswer> {
  const { remote_name: name } = config;
  const { signal, timeoutMs, executionId, answers } = call;
  const isAsking = executionId !== undefined;
  const traceMeta = call.traceparent === undefined ? {} : { traceparent: call.traceparent };
  const params = { name, arguments: { ...call.input }, _meta: traceMeta };
  // As this kind described it.
  const held = answers?.held as HeldCall | undefined;
  if (isAsking && held !== undefined) {
    const { continueHeldCall } = await import("./questions/hold-call.ts");
    return continueHeldCall(pool, { target, params, call, executionId }, held);
  }
  return withClient(pool, { target, signal, isAsking }, async (loan, attempts) => {
    const { client } = loan;
    try {
      if (isAsking && loan.isAlone) {
        const { makeHeldCall } = await import("./questions/hold-call.ts");
        return await makeHeldCall(pool, loan, { target, params, call, executionId });
      }
      const { buildAsking, readQuestions } = await import("./questions/elicitation.ts");
      const isModern = client.getProtocolEra() === "modern";
      const asking = isModern ? buildAsking(call) : { meta: {}, params: {} };
      const result = await client.callTool(
        { ...params, _meta: { ...traceMeta, ...asking.meta }, ...asking.params },
        { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs, allowInputRequired: isAsking && isModern },
      );
      const asked = readQuestions(result, answers?.rounds ?? 0);
      if (asked !== null) return { text: "", isCut: false, attempts, asking: asked };
      return readResult(result, attempts);
    } finally {
      // The tokens are not among the tool's secrets.
      listSentTokens(client).forEach((token) => call.hide?.(token));
    }
  });
}

/** The tools of a server are listed with the authorization of their owner, whoever they act for. */
export function toTarget(
  pool: McpPool,
  config: McpConfig,
  ownerId: string | null,
  secrets: ToolCall["secrets"],
): McpTarget {
  if ("server" in config) return { ownerId, server: config.server };
  const { url, headers, auth } = config;
  if (auth?.type === "oauth") return { ownerId, url, headers, tokens: pool.tokensOf({ ownerId, url }) };
  return { ownerId, url, headers: { ...headers, ...applyAuth(auth, secrets) }, tokens: null };
}

interface Borrowing {
  readonly target: McpTarget;
  readonly signal: AbortSignal;
  /** See `McpPool.borrow`. */
  readonly isAsking?: boolean;
}

/** Retries once with a new connection when a pooled one turns out to be dead. */
export async function withClient<T>(
  pool: McpPool,
  { target, signal, isAsking = false }: Borrowing,
  work: (loan: McpLoan, attempts: number) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    let loan: McpLoan | null = null;
    try {
      loan = await pool.borrow(target, signal, { isAsking });
      const result = await work(loan, attempts);
      loan.release(true);
      return result;
    } catch (error) {
      // An error that the tool reports does not mean that the connection is broken.
      loan?.release(error instanceof ToolFailure);
      signal.throwIfAborted();
      // Imports the MCP package, which is loaded with the first connection.
      const { explainMcpError, isLostConnection } = await import("./explain-mcp-error.ts");
      const mayHelp = loan?.isReused === true && attempts === 1 && isLostConnection(error);
      if (!mayHelp) throw explainMcpError(error, attempts);
    }
  }
}

/** The headers that send the tool's secret to its server. */
function applyAuth(
  auth: Exclude<McpAuth, { readonly type: "oauth" }> | undefined,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (auth === undefined) return {};
  const secret = Object.hasOwn(secrets, auth.secret) ? secrets[auth.secret] : undefined;
  if (secret === undefined) throw new ToolFailure("TOOL_UNUSABLE", `The tool has no secret called ${auth.secret}.`);
  switch (auth.type) {
    case "bearer":
      return { authorization: `Bearer ${secret}` };
    case "basic":
      return { authorization: `Basic ${Buffer.from(`${auth.username}:${secret}`).toString("base64")}` };
    case "header":
      return { [auth.header.toLowerCase()]: secret };
  }
}
