import { type McpConfig, readConfig } from "../config/tool-config.ts";
import { applyAuth } from "../http/apply-auth.ts";
import type { ToolSecrets } from "../seal-secrets.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { ToolAnswer, ToolCall } from "../tool-kind.ts";
import type { McpLoan, McpPool } from "./mcp-pool.ts";
import type { McpTarget } from "./mcp-target.ts";
import { listSentTokens } from "./open-client.ts";
import { renderContent } from "./render-content.ts";

export async function runMcpTool(pool: McpPool, call: ToolCall): Promise<ToolAnswer> {
  const read = readConfig("mcp", call.config);
  if (!read.ok) throw new ToolFailure("TOOL_UNUSABLE", "The tool's configuration is not valid.");
  const { remote_name: name } = read.config;
  const target = toTarget(pool, read.config, call.ownerId, call.secrets);
  const { signal, timeoutMs } = call;
  return withClient(pool, target, signal, async ({ client }, attempts) => {
    const { buildAsking, readQuestions } = await import("./elicitation.ts");
    const { canAsk, meta, params } = buildAsking(client, call);
    const traceMeta = call.traceparent === undefined ? {} : { traceparent: call.traceparent };
    const result = await client
      .callTool(
        { name, arguments: { ...call.input }, _meta: { ...traceMeta, ...meta }, ...params },
        { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs, allowInputRequired: canAsk },
      )
      // The tokens are not among the tool's secrets.
      .finally(() => listSentTokens(client).forEach((token) => call.hide?.(token)));
    const asking = readQuestions(result, call.answers?.rounds ?? 0);
    if (asking !== null) return { text: "", isCut: false, attempts, asking };
    const { text, images } = renderContent(result);
    if (result.isError === true)
      throw new ToolFailure("TOOL_REMOTE_ERROR", "The tool reported an error.", { attempts, text });
    return { text, isCut: false, attempts, ...(images.length > 0 && { images }) };
  });
}

export function toTarget(pool: McpPool, config: McpConfig, ownerId: string | null, secrets: ToolSecrets): McpTarget {
  if ("server" in config) return { ownerId, server: config.server };
  const { url, headers, auth } = config;
  if (auth?.type === "oauth") return { ownerId, url, headers, tokens: pool.tokensOf({ ownerId, url }) };
  return { ownerId, url, headers: { ...headers, ...applyAuth(auth, secrets).headers }, tokens: null };
}

/** Retries once with a new connection when a pooled one turns out to be dead. */
export async function withClient<T>(
  pool: McpPool,
  target: McpTarget,
  signal: AbortSignal,
  work: (loan: McpLoan, attempts: number) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    let loan: McpLoan | null = null;
    try {
      loan = await pool.borrow(target, signal);
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
