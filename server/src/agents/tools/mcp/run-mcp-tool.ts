import { type JsonRecord } from "../../../json/index.ts";
import { readConfig } from "../config/tool-config.ts";
import { applyAuth } from "../http/apply-auth.ts";
import type { ToolAnswer } from "../http/run-http-tool.ts";
import type { ToolSecrets } from "../seal-secrets.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { McpLoan, McpPool, McpTarget } from "./mcp-pool.ts";
import { renderContent } from "./render-content.ts";

export interface McpToolCall {
  readonly ownerId: string | null;
  readonly config: JsonRecord;
  readonly input: JsonRecord;
  readonly secrets: ToolSecrets;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
}

export async function runMcpTool(pool: McpPool, call: McpToolCall): Promise<ToolAnswer> {
  const read = readConfig("mcp", call.config);
  if (!read.ok) throw new ToolFailure("TOOL_UNUSABLE", "The tool's configuration is not valid.");
  const { url, headers, auth, remote_name: name } = read.config;
  const target = { ownerId: call.ownerId, url, headers: { ...headers, ...applyAuth(auth, call.secrets).headers } };
  const { signal, timeoutMs, traceparent } = call;
  const params = { name, arguments: { ...call.input }, ...(traceparent !== undefined && { _meta: { traceparent } }) };
  return withClient(pool, target, signal, async ({ client }, attempts) => {
    const result = await client.callTool(params, { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs });
    const text = renderContent(result);
    if (result.isError === true)
      throw new ToolFailure("TOOL_REMOTE_ERROR", "The tool reported an error.", { attempts, text });
    return { text, isCut: false, attempts };
  });
}

/** With a connection that may have died since it was used last: then once more, with a new one. */
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
      loan.giveBack(true);
      return result;
    } catch (error) {
      // What the tool itself reported says nothing against the connection.
      loan?.giveBack(error instanceof ToolFailure);
      signal.throwIfAborted();
      // It knows the errors of the package, which is loaded with the first connection.
      const { explainMcpError, isLostConnection } = await import("./explain-mcp-error.ts");
      const mayHelp = loan?.isReused === true && attempts === 1 && isLostConnection(error);
      if (!mayHelp) throw explainMcpError(error, attempts);
    }
  }
}
