import { randomBytes, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type pg from "pg";
import { type OpenToolsOptions, openTools, type ToolModule } from "../../../src/agents/tools/open-tools.ts";
import { HeldCalls } from "../../../src/agents/tools/mcp/held-calls.ts";
import { sealSecrets } from "../../../src/agents/tools/seal-secrets.ts";
import type { ToolOutcome } from "../../../src/agents/tools/tool-port.ts";
import { openGuardedFetch } from "../../../src/outbound/index.ts";
import { authority, loopbackPolicy, resolveTo } from "../../outbound/support/receiver.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { WAIT_MS } from "../../support/wait-limit.ts";
import { createSchemaCompiler } from "../../../src/agents/tools/input/compile-schema.ts";

export const KEY = randomBytes(32);
export const CALLBACK_URL = "https://service.example.com/oauth/callback";
export const SESSION_LIMITS = { perNode: 20, perServer: 20, perUser: 20 };

/** Of a pool that holds no calls. */
export const NO_HELD_CALLS = new HeldCalls({ newId: randomUUID, selectWaiting: async () => new Set() });

type Run = ToolModule["run"];

export interface TestTools extends Omit<ToolModule, "run"> {
  /** Of a tool that asks nobody. */
  run(...given: Parameters<Run>): Promise<ToolOutcome>;
  readonly runAsking: Run;
}

/** The tools module with access to loopback only, closed when the test ends. */
export function openToolsForTest(
  t: Pick<TestContext, "after">,
  options: Partial<OpenToolsOptions> & { policy?: typeof loopbackPolicy } = {},
): TestTools {
  const { policy = loopbackPolicy, ...more } = options;
  const guarded = openGuardedFetch({
    policy,
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    exemptUrls: [],
    resolve: resolveTo("127.0.0.1"),
  });
  const tools = openTools({
    guarded,
    pool: {} as pg.Pool,
    key: KEY,
    clock: { now: () => new Date("2026-11-15T12:00:00Z") },
    observer: silentObserver,
    newId: randomUUID,
    schemas: createSchemaCompiler({ maxKept: 10 }),
    version: "test",
    mcpSessions: SESSION_LIMITS,
    oauthTimeoutMs: WAIT_MS,
    returns: { callbackUrl: () => CALLBACK_URL, isReturnAllowed: (url) => url.startsWith("https://app.example.com/") },
    ...more,
  });
  t.after(async () => {
    await tools.close();
    await guarded.close();
  });
  const run: TestTools["run"] = async (...given) => {
    const outcome = await tools.run(...given);
    if (outcome.status === "asking") throw new Error("the tool asks a question");
    return outcome;
  };
  return { ...tools, run, runAsking: tools.run };
}

/** In the format of `private.tool_secrets`. */
export function wrapped(toolId: string, secrets: Readonly<Record<string, string>>): string {
  return (sealSecrets(KEY, toolId, secrets)[0] ?? "").slice(1);
}
