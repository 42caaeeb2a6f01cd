import { randomBytes, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { openGuardedFetch } from "@swarmbase/guarded-fetch";
import type pg from "pg";
import { createToolChecks, type ToolChecks } from "../../src/agents/create-tool-checks.ts";
import { createSchemaCompiler } from "../../src/agents/schemas/schema-compiler.ts";
import { type OpenToolsOptions, openTools, type ToolModule } from "../../src/agents/tools/open-tools.ts";
import { sealSecrets } from "../../src/agents/tools/seal-secrets.ts";
import type { ToolOutcome } from "../../src/agents/tools/tool-port.ts";
import { loadSettings, readExtensionSettings } from "../../src/config/index.ts";
import { newMasterKey } from "../../src/crypto/index.ts";
import type { Database } from "../../src/db/index.ts";
import { type OpenedExtensions, openExtensions } from "../../src/extensions/open-extensions.ts";
import type { Extension, ExtensionSettingRow } from "../../src/extensions/port.ts";
import { authority, loopbackPolicy, resolveTo } from "./receiver.ts";
import { silentObserver } from "./silent-observer.ts";

export const KEY = randomBytes(32);
export const BASE_URL = "https://service.example.com";

type Run = ToolModule["run"];

export interface TestTools extends Omit<ToolModule, "run"> {
  /** Of a tool that asks nobody. */
  run(...given: Parameters<Run>): Promise<ToolOutcome>;
  readonly runAsking: Run;
  /** The checks of rows, with the kinds of the extension. */
  readonly checks: ToolChecks;
  /** Closes the kinds of the extension. */
  close(): Promise<void>;
}

export interface TestToolsOptions extends Partial<Omit<OpenToolsOptions, "kinds">> {
  readonly policy?: typeof loopbackPolicy;
  /** Adds its kinds of tools, with the default settings. */
  readonly extension?: Extension;
}

/** The tools module with access to loopback only, closed when the test ends. */
export function openToolsForTest(t: Pick<TestContext, "after">, options: TestToolsOptions = {}): TestTools {
  const { policy = loopbackPolicy, extension, ...more } = options;
  const connections = { policy, ca: [authority.cert], connectionsPerOrigin: 8, resolve: resolveTo("127.0.0.1") };
  const guarded = openGuardedFetch({ ...connections, exemptUrls: [] });
  const parts = {
    guarded,
    pool: {} as pg.Pool,
    key: KEY,
    identityKey: KEY,
    baseUrl: () => BASE_URL,
    clock: { now: () => new Date("2026-11-15T12:00:00Z") },
    observer: silentObserver,
    newId: randomUUID,
    schemas: createSchemaCompiler({ maxKept: 10 }),
    ...more,
  };
  const opened = extension === undefined ? null : openExtension(t, extension, { ...parts, connections });
  const kinds = opened?.toolKinds ?? new Map();
  const tools = openTools({ ...parts, kinds });
  const close = async (): Promise<void> => opened?.close();
  t.after(async () => {
    await close();
    await guarded.close();
  });
  const run: TestTools["run"] = async (...given) => {
    const outcome = await tools.run(...given);
    if (outcome.status === "asking" || outcome.status === "waiting") throw new Error(`the tool is ${outcome.status}`);
    return outcome;
  };
  const checks = createToolChecks({ key: KEY, newId: randomUUID, kinds, findUrlFault: guarded.findUrlFault });
  return { ...tools, run, runAsking: tools.run, checks, close };
}

type Connections = Omit<Parameters<typeof openGuardedFetch>[0], "exemptUrls">;

function openExtension(
  t: Pick<TestContext, "after">,
  extension: Extension,
  { pool, connections, ...parts }: OpenToolsOptions & { readonly connections: Connections },
): OpenedExtensions {
  const rows: readonly ExtensionSettingRow[] = extension.settings ?? [];
  const { settings } = readExtensionSettings(rows, {}, process.cwd());
  const configured = extension.configure?.(settings) ?? {};
  if (configured instanceof Promise) throw new TypeError("the extension is not configured at once");
  const loaded = { specifier: extension.name, extension, settings, variables: {}, schema: null, routes: [] };
  const database = { user: pool, service: pool, work: pool } as unknown as Database;
  return openExtensions({
    ...parts,
    isWorkerProcess: false,
    extensions: [{ ...loaded, trustedUrls: [], observation: {}, connections: configured.connections ?? {} }],
    settings: loadSettings({ DB_STATEMENT_TIMEOUT_MS: "10000" }),
    server: { adminUrl: "postgresql://localhost/db", directUrl: "postgresql://localhost/db", clusterDir: null },
    masterKey: newMasterKey(),
    database,
    environment: {},
    readMetrics: async () => [],
    version: "test",
    baseUrl: () => BASE_URL,
    isRedirectAllowed: (url) => url.startsWith("https://app.example.com/"),
    getCore: () => {
      throw new Error("the tools of a test have no core");
    },
    openFetch: (exemptUrls, { perOrigin: _, ...given }) => {
      const guarded = openGuardedFetch({ ...connections, exemptUrls, ...given });
      t.after(() => guarded.close());
      return { fetch: guarded.fetch as unknown as typeof globalThis.fetch, findUrlFault: guarded.findUrlFault };
    },
  });
}

/** In the format of `private.tool_secrets`. */
export function wrapped(toolId: string, secrets: Readonly<Record<string, string>>): string {
  return (sealSecrets(KEY, toolId, secrets)[0] ?? "").slice(1);
}
