import type { GuardrailKind } from "@swarmbase/sdk";
import { type JsonRecord } from "../../json/index.ts";
import { findConfigFaults, type GuardrailFault } from "../guardrails/find-config-faults.ts";
import { isBuiltin } from "./builtins/run-builtin.ts";
import { type ConfigFault, fillPlaceholders, readConfig } from "./config/tool-config.ts";
import { findResponseSchemaFault } from "../output/response-schema.ts";
import { createSchemaCompiler } from "./input/compile-schema.ts";
import type { McpServers } from "./mcp/mcp-servers-file.ts";
import { sealSecrets, type ToolSecrets } from "./seal-secrets.ts";
import type { ToolKinds } from "./tool-kind.ts";

export interface ToolChecksOptions {
  /** 32 bytes, derived from the master key; `openTools` gets the same. */
  readonly key: Buffer;
  newId(): string;
  /** Kinds in addition to the built-in ones. */
  readonly kinds?: ToolKinds;
  /** MCP servers of the operator, by name. */
  readonly mcpServers?: McpServers;
  /** Checks an address without a DNS lookup. */
  findUrlFault(url: string, options: { readonly allowsPlainLoopback: boolean }): string | null;
}

/** Checks that the REST interface applies to the rows of tools. */
export interface ToolChecks {
  newId(): string;
  isBuiltin(name: string): boolean;
  /** Kinds in addition to the built-in ones. */
  readonly addedKinds: readonly string[];
  findSchemaFault(schema: JsonRecord): string | null;
  /** For `response_schema` in the settings of agents. */
  findResponseSchemaFault(schema: JsonRecord): string | null;
  findConfigFaults(kind: string, config: JsonRecord): readonly ConfigFault[];
  /** For the configuration of guardrails. Null: the kind is not known. */
  findGuardrailFaults(kind: GuardrailKind | null, config: JsonRecord): readonly GuardrailFault[];
  sealSecrets(toolId: string, secrets: ToolSecrets): string[];
}

const MAX_SCHEMAS = 50;

export function createToolChecks({
  key,
  newId,
  findUrlFault,
  kinds = new Map(),
  mcpServers = new Map(),
}: ToolChecksOptions): ToolChecks {
  const schemas = createSchemaCompiler({ maxKept: MAX_SCHEMAS });
  return {
    newId,
    isBuiltin,
    addedKinds: [...kinds.keys()],
    findSchemaFault(schema) {
      const compiled = schemas.compile(schema);
      return compiled.ok ? null : compiled.fault;
    },
    findResponseSchemaFault: (schema) => findResponseSchemaFault(schemas, schema),
    findConfigFaults(kind, config) {
      const added = kinds.get(kind);
      if (added !== undefined) return added.findConfigFaults(config).map((fault) => ({ ...fault, isUrl: false }));
      const read = readConfig(kind === "mcp" ? "mcp" : "http", config);
      if (!read.ok) return read.faults;
      if ("server" in read.config) {
        const isKnown = mcpServers.has(read.config.server);
        return isKnown ? [] : [{ path: "server", message: "names no MCP server of this service", isUrl: false }];
      }
      const message = findUrlFault(fillPlaceholders(read.config.url), { allowsPlainLoopback: kind === "mcp" });
      return message === null ? [] : [{ path: "url", message, isUrl: true }];
    },
    findGuardrailFaults: (kind, config) =>
      findConfigFaults(
        { schemas, findUrlFault: (url) => findUrlFault(url, { allowsPlainLoopback: false }) },
        kind,
        config,
      ),
    sealSecrets: (toolId, secrets) => sealSecrets(key, toolId, secrets),
  };
}
