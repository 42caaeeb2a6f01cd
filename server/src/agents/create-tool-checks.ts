import { type GuardrailKind, TOOL_KINDS } from "@swarmbase/sdk";
import { type JsonRecord } from "../json/index.ts";
import { findConfigFaults, type GuardrailFault } from "./guardrails/find-config-faults.ts";
import { isBuiltin } from "./tools/builtins/run-builtin.ts";
import { findResponseSchemaFault } from "./schemas/response-schema.ts";
import { fillPlaceholders, readHttpConfig } from "./tools/http/http-config.ts";
import { createSchemaCompiler } from "./schemas/schema-compiler.ts";
import { sealSecrets, type ToolSecrets } from "./tools/seal-secrets.ts";
import { withSwarmKind } from "./tools/with-swarm-kind.ts";
import { CORE_KINDS, type ToolConfigFault, type ToolDescription, type ToolKinds } from "./tools/tool-kind.ts";

interface ToolChecksOptions {
  /** 32 bytes, derived from the master key; `openTools` gets the same. */
  readonly key: Buffer;
  newId(): string;
  /** Kinds in addition to those of the core. */
  readonly kinds?: ToolKinds;
  /** Checks an address without a DNS lookup. */
  findUrlFault(url: string): string | null;
}

/** Checks that the REST interface applies to the rows of tools. */
export interface ToolChecks {
  newId(): string;
  isBuiltin(name: string): boolean;
  /** The kinds that a new tool can have. */
  readonly kinds: readonly string[];
  /** Those of them that extensions add. */
  readonly addedKinds: readonly string[];
  findSchemaFault(schema: JsonRecord): string | null;
  /** For `response_schema` in the settings of agents. */
  findResponseSchemaFault(schema: JsonRecord): string | null;
  findConfigFaults(kind: string, config: JsonRecord): readonly ToolConfigFault[];
  /** What the kind knows about a tool by its configuration; null means nothing. */
  describe(kind: string, config: JsonRecord): ToolDescription | null;
  /** For the configuration of guardrails. Null means that the kind is not known. */
  findGuardrailFaults(kind: GuardrailKind | null, config: JsonRecord): readonly GuardrailFault[];
  sealSecrets(toolId: string, secrets: ToolSecrets): string[];
}

const MAX_SCHEMAS = 50;

export function createToolChecks({ key, newId, findUrlFault, ...options }: ToolChecksOptions): ToolChecks {
  const kinds = withSwarmKind(options.kinds ?? new Map());
  const schemas = createSchemaCompiler({ maxKept: MAX_SCHEMAS });
  const addedKinds = [...kinds.keys()];
  const named: readonly string[] = TOOL_KINDS.filter((kind) => CORE_KINDS.has(kind) || kinds.has(kind));
  return {
    newId,
    isBuiltin,
    kinds: [...named, ...addedKinds.filter((kind) => !named.includes(kind))],
    addedKinds,
    findSchemaFault(schema) {
      const compiled = schemas.compile(schema);
      return compiled.ok ? null : compiled.fault;
    },
    findResponseSchemaFault: (schema) => findResponseSchemaFault(schemas, schema),
    findConfigFaults(kind, config) {
      const added = kinds.get(kind);
      if (added !== undefined) return added.findConfigFaults(config);
      const read = readHttpConfig(config);
      if (!read.ok) return read.faults;
      const message = findUrlFault(fillPlaceholders(read.config.url));
      return message === null ? [] : [{ path: "url", message, isUrl: true }];
    },
    describe: (kind, config) => kinds.get(kind)?.describe?.(config) ?? null,
    findGuardrailFaults: (kind, config) => findConfigFaults({ schemas, findUrlFault }, kind, config),
    sealSecrets: (toolId, secrets) => sealSecrets(key, toolId, secrets),
  };
}
