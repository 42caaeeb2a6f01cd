import { TOOL_KINDS, TOOL_VISIBILITIES } from "@swarmbase/sdk";
import { isRecord } from "../../json/index.ts";
import type { RewrittenRows, WriteAttempt } from "../../rest/index.ts";
import { type Fault, fault, filledIn, FINE, nullable, type Row, type Value, valueOf } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { boolean, integer } from "../fields/plain-fields.ts";
import { choice, text } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import type { AgentChecks } from "./check-agent-settings.ts";
import type { GuardrailChecks } from "./guardrail-rule.ts";
import { type RowFault, rowFault, type TableRule, tableRule } from "./table-rule.ts";
import { rewriteSecrets, type Sealer, toolSecrets } from "./tool-secrets.ts";

/** Checks of tools that the agents module provides. */
export interface ToolRuleChecks extends Sealer, AgentChecks, GuardrailChecks, Describer {
  isBuiltin(name: string): boolean;
  /** The kinds that a new tool can have. */
  readonly kinds: readonly string[];
  /** Those of them that extensions add. */
  readonly addedKinds: readonly string[];
  /** Follows the name of the field. */
  findSchemaFault(schema: Row): string | null;
  findConfigFaults(
    kind: string,
    config: Row,
  ): readonly { readonly path: string; readonly message: string; readonly isUrl?: boolean }[];
}

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

export function toolRule(checks: ToolRuleChecks | null): TableRule {
  return tableRule({
    name: "tools",
    required: ["name", "description"],
    ignored: ["created_at", "updated_at", "secret_names"],
    aliases: { secrets: "secret_names" },
    // Tools can be functions of the database.
    isByCatalogue: true,
    fill: (written, attempt) => (checks === null ? written : fillDescribed(written, attempt, checks)),
    checkNewRow: (row) => (checks === null ? [] : checkNewTool(row, checks)),
    rewrite: (written, attempt) => rewriteSecrets(written, attempt, checks),
    fields: {
      id: uuid(),
      owner_id: nullable(uuid()),
      name: text({ min: 1, max: 64 }, (name) =>
        TOOL_NAME.test(name) ? FINE : fault("must begin with a letter or _ and go on with letters, digits, _ and -"),
      ),
      description: text("tools.description"),
      category: nullable(text("tools.category")),
      icon: nullable(text("tools.icon")),
      input_schema: jsonObject("tools.input_schema", (schema) => checkSchema(schema, checks)),
      kind: choice(checks?.kinds ?? TOOL_KINDS),
      config: jsonObject("tools.config", (config) => checkConfig(config, checks)),
      visibility: choice(TOOL_VISIBILITIES),
      requires_approval: boolean(),
      timeout_ms: integer("tools.timeout_ms"),
      max_output_chars: integer("tools.max_output_chars"),
      max_retries: integer("tools.max_retries"),
      idempotent: boolean(),
      enabled: boolean(),
      secret_names: nullable(toolSecrets()),
    },
  });
}

export const AGENT_TOOLS = tableRule({
  name: "agent_tools",
  required: ["agent_id", "tool_id"],
  fields: {
    id: uuid(),
    agent_id: uuid(),
    tool_id: uuid(),
    user_id: filledIn(uuid()),
    enabled: boolean(),
    configuration: jsonObject("agent_tools.configuration"),
  },
});

function checkSchema(schema: Row, checks: ToolRuleChecks | null): readonly Fault[] {
  if (valueOf(schema, "type") !== "object") {
    return [{ path: "type", message: 'must be "object"', code: null }];
  }
  const message = checks?.findSchemaFault(schema) ?? null;
  return message === null ? FINE : fault(message);
}

/** An empty configuration is valid: the tool cannot run yet. An update lacks the kind, so it is inferred from the keys. */
function checkConfig(config: Row, checks: ToolRuleChecks | null): readonly Fault[] {
  if (checks === null || Object.keys(config).length === 0) return FINE;
  const faults = findConfigFaults(config, Object.hasOwn(config, "remote_name") ? "mcp" : "http", checks);
  const { addedKinds } = checks;
  if (faults.length === 0 || addedKinds.length === 0) return faults;
  // A new row is checked for its own kind below, and every call checks again.
  if (addedKinds.some((kind) => findConfigFaults(config, kind, checks).length === 0)) return FINE;
  return isOfCore(config) ? faults : fault("fits no kind of tool");
}

/** Every configuration of the core has an address. */
function isOfCore(config: object): boolean {
  return ["url", "remote_name"].some((name) => Object.hasOwn(config, name));
}

function findConfigFaults(config: Row, kind: string, checks: ToolRuleChecks): readonly Fault[] {
  return checks
    .findConfigFaults(kind, config)
    .map(({ path, message, isUrl }) => ({ path, message, code: isUrl === true ? "INVALID_URL" : null }));
}

function checkNewTool(row: Row, checks: ToolRuleChecks): readonly RowFault[] {
  const [kind, name, config] = [valueOf(row, "kind"), valueOf(row, "name"), valueOf(row, "config")];
  const isEmpty = typeof config !== "object" || config === null || Object.keys(config).length === 0;
  if (kind === "builtin") {
    const isUnknown = typeof name === "string" && !checks.isBuiltin(name);
    if (isUnknown) return rowFault("name", "is not the name of a built-in tool");
    return isEmpty ? [] : rowFault("config", "must be empty for a built-in tool");
  }
  if (kind === "client") return checkNewClientTool(row, isEmpty);
  if (isEmpty) return [];
  const isRemote = Object.hasOwn(config, "remote_name");
  if (kind === "mcp" && !isRemote) return rowFault("config", "is required for a tool of an MCP server", "remote_name");
  const isAdded = typeof kind === "string" && checks.addedKinds.includes(kind);
  if (kind !== "mcp" && isRemote && !isAdded) {
    return rowFault("config", "is for tools of kind mcp only", "remote_name");
  }
  const isKnown = kind === undefined || (typeof kind === "string" && checks.kinds.includes(kind));
  const isReported = checks.addedKinds.length === 0 || (isOfCore(config) && !isAdded);
  if (Array.isArray(config) || !isKnown || isReported) return [];
  const faults = findConfigFaults(config, isAdded ? kind : "http", checks);
  return faults.map((each) => ({ ...each, field: "config" }));
}

/** The service sends nothing for such a tool, and the client itself decides whether it executes a call. */
function checkNewClientTool(row: Row, isEmpty: boolean): readonly RowFault[] {
  if (!isEmpty) return rowFault("config", "must be empty for a tool of the client");
  return valueOf(row, "requires_approval") === true
    ? rowFault("requires_approval", "must be false for a tool of the client")
    : [];
}

interface Describer {
  /** What the kind of a tool knows about it by its configuration; null means nothing. */
  describe(
    kind: string,
    config: Row,
  ): { readonly inputSchema: Readonly<Record<string, unknown>>; readonly description: string | null } | null;
}

/** Fills in `input_schema` and `description` of new tools that lack them, where their kind knows both. */
function fillDescribed(
  written: RewrittenRows,
  { operation }: Pick<WriteAttempt, "operation">,
  checks: Describer,
): RewrittenRows {
  if (operation === "update") return written;
  const filled = new Set<string>();
  const rows = written.rows.map((row) => {
    const [kind, config] = [valueOf(row, "kind"), valueOf(row, "config")];
    if (typeof kind !== "string" || !isRecord(config)) return row;
    const described = checks.describe(kind, config);
    if (described === null) return row;
    const known = { input_schema: described.inputSchema as Value, description: described.description };
    const lacking = Object.entries(known).filter(([column, value]) => {
      const isGiven = written.columns.includes(column) && (valueOf(row, column) ?? null) !== null;
      return value !== null && !isGiven;
    });
    for (const [column] of lacking) filled.add(column);
    // Assigning the key `__proto__` would lose it.
    return Object.fromEntries([...Object.entries(row), ...lacking]);
  });
  if (filled.size === 0) return written;
  return { rows, columns: [...new Set([...written.columns, ...filled])] };
}
