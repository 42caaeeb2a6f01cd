import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Extension, ToolAccounts, ToolCall } from "swarmbase/extension";
import {
  openToolsForTest as openTools,
  type TestTools,
  type TestToolsOptions,
} from "../../../../server/test/support/tool-stage.ts";
import { WAIT_MS } from "../../../../server/test/support/wait-limit.ts";
import { extension } from "../../src/index.ts";
import type { McpServers } from "../../src/load-mcp-servers.ts";
import type { OperatorClients } from "../../src/oauth/operator-clients.ts";
import { openMcpKind } from "../../src/open-mcp-kind.ts";
import { HeldCalls } from "../../src/questions/held-calls.ts";
import type { McpContext } from "../../src/settings.ts";

export const SESSION_LIMITS = { perNode: 20, perServer: 20, perUser: 20 };

/** Of a pool that holds no calls. */
export const NO_HELD_CALLS = new HeldCalls({ newId: randomUUID, selectWaiting: async () => new Set() });

export const NOBODY: ToolCall["starter"] = { userId: null, open: () => Promise.reject(new Error("nobody has asked")) };

/** Of tools that act for nobody. */
export const NO_ACCOUNTS: ToolAccounts = { use: () => Promise.reject(new Error("no account is expected")) };

interface McpToolsOptions extends Omit<TestToolsOptions, "extension"> {
  /** Programs of the operator. */
  readonly servers?: McpServers;
  /** OAuth clients of the operator. */
  readonly clients?: OperatorClients;
}

/** The tools module with the kind `mcp`, and with access to loopback only. Closed when the test ends. */
export function openToolsForTest(
  t: Pick<TestContext, "after">,
  { servers, clients, ...options }: McpToolsOptions = {},
): TestTools {
  const kind = {
    oauthTimeoutMs: WAIT_MS,
    ...(servers !== undefined && { servers }),
    ...(clients !== undefined && { clients }),
  };
  const toolKinds = [{ name: "mcp", open: (context: McpContext) => openMcpKind(context, kind) }];
  return openTools(t, { ...options, extension: { ...extension, toolKinds } as unknown as Extension });
}
