import type { ColumnDescription } from "@swarmbase/reference";
import {
  type BoundedField,
  EVAL_EXPECTATION_KINDS,
  FIELD_BOUNDS,
  type FieldBounds,
  GRANT_PARTIES,
  GUARDRAIL_ACTIONS,
  GUARDRAIL_KINDS,
  GUARDRAIL_STAGES,
  TOOL_KINDS,
} from "@swarmbase/sdk";
import type { Column } from "../../server/src/rest/index.ts";
import { ALIAS_TYPES, COLUMN_TYPES } from "../sdk/column-choices.ts";
import { valuesOf } from "../sdk/known-lists.ts";
import type { ColumnBounds } from "./read-checks.ts";

type Schema = ColumnDescription["schema"];

/** Types of the sdk that are components of the OpenAPI document. */
const COMPONENTS: ReadonlySet<string> = new Set([
  "AgentSettings",
  "EventFault",
  "EventUsage",
  "GuardrailConfig",
  "SwarmbaseEvent",
  "SwarmSettings",
]);

const EVENT_TYPE: Schema = {
  anyOf: ["EventType", "AppEventType"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
};

const NAMED_TYPES: Readonly<Record<string, Schema>> = {
  JsonObject: { type: "object" },
  "JsonObject[]": { type: "array", items: { type: "object" } },
  "PendingWait[]": { type: "array", items: { $ref: "#/components/schemas/PendingWait" } },
  "FeedConsumer[]": {
    type: "array",
    maxItems: 100,
    items: {
      type: "object",
      properties: {
        consumer: { type: "string" },
        cursor: { type: "string" },
        waiting: { type: "integer" },
        committed_at: { type: "string", format: "date-time" },
      },
      required: ["consumer", "cursor", "waiting", "committed_at"],
    },
  },
  "ScheduleOutcome[]": {
    type: "array",
    maxItems: 10,
    items: {
      type: "object",
      properties: {
        due_at: { type: ["string", "null"], format: "date-time" },
        at: { type: "string", format: "date-time" },
        outcome: { type: "string" },
        run_id: { type: "string", format: "uuid" },
        swarm_id: { type: "string", format: "uuid" },
        ended_at: { type: "string", format: "date-time" },
        code: { type: "string" },
        message: { type: "string" },
      },
      required: ["due_at", "at", "outcome"],
    },
  },
  "AgentVersionTool[]": {
    type: "array",
    items: {
      type: "object",
      properties: {
        tool_id: { type: "string", format: "uuid" },
        name: { type: "string" },
        enabled: { type: "boolean" },
        configuration: { type: "object" },
        approver: { enum: [...GRANT_PARTIES, null] },
        is_vouched: { type: "boolean" },
        definition: {
          type: ["object", "null"],
          properties: {
            description: { type: "string" },
            kind: { type: "string" },
            input_schema: { type: "object" },
            config: { type: "object" },
            requires_approval: { type: "boolean" },
            timeout_ms: { type: "integer" },
            max_output_chars: { type: "integer" },
            max_retries: { type: "integer" },
            idempotent: { type: "boolean" },
            enabled: { type: "boolean" },
            is_vouched: { type: "boolean" },
          },
        },
      },
      required: ["tool_id", "name", "enabled", "configuration", "approver", "is_vouched", "definition"],
    },
  },
  "AgentVersionGuardrail[]": {
    type: "array",
    items: {
      type: "object",
      properties: {
        guardrail_id: { type: "string", format: "uuid" },
        name: { type: "string" },
        kind: { enum: GUARDRAIL_KINDS },
        stage: { enum: GUARDRAIL_STAGES },
        action: { enum: GUARDRAIL_ACTIONS },
        config: { $ref: "#/components/schemas/GuardrailConfig" },
        position: { type: "integer" },
        is_active: { type: "boolean" },
      },
      required: ["guardrail_id", "name", "kind", "stage", "action", "config", "position", "is_active"],
    },
  },
  "PromptMessage[]": {
    type: "array",
    items: {
      type: "object",
      properties: {
        role: { enum: ["user", "assistant", "tool"] },
        parts: {
          type: "array",
          items: {
            type: "object",
            properties: { seq: { type: "integer" }, prefix: { type: "string" }, text: { type: "string" } },
          },
        },
        tool_calls: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string" }, name: { type: "string" }, input: { type: "string" } },
            required: ["id", "name", "input"],
          },
        },
        tool_call_id: { type: "string" },
        tool_name: { type: "string" },
        output: { type: "string" },
        is_error: { type: "boolean" },
        image_count: { type: "integer" },
      },
      required: ["role"],
    },
  },
  "PromptTool[]": {
    type: "array",
    items: {
      type: "object",
      properties: {
        name: { type: "string" },
        description: { type: "string" },
        input_schema: { type: "object" },
      },
      required: ["name", "description", "input_schema"],
    },
  },
  EvalExpectation: {
    type: "object",
    properties: {
      kind: { enum: EVAL_EXPECTATION_KINDS },
      text: { type: "string" },
      texts: { type: "array", items: { type: "string" } },
      ignore_case: { type: "boolean" },
      schema: { type: "object" },
      criteria: { type: "string" },
      agent_id: { type: "string", format: "uuid" },
      min_score: { type: "number", minimum: 0, maximum: 1 },
      tool: { type: "string" },
    },
    required: ["kind"],
  },
  AppEventType: { type: "string" },
  "EventType | AppEventType": EVENT_TYPE,
  "(EventType | AppEventType)[]": { type: "array", items: EVENT_TYPE },
  "string | null": { type: ["string", "null"] },
  "Record<string, string>": { type: "object", additionalProperties: { type: "string" } },
  // Extensions add kinds.
  ToolKind: { type: "string", examples: TOOL_KINDS },
};

export interface ColumnFacts {
  /** `table.column`. */
  readonly key: string;
  readonly column: Column;
  readonly isNullable: boolean;
  readonly closedList: readonly string[] | undefined;
  readonly bounds: ColumnBounds;
}

/** The JSON Schema of a column's values, from the same sources as its type in the sdk. */
export function describeColumnSchema(facts: ColumnFacts): Pick<ColumnDescription, "schema" | "maxBytes"> {
  const { maxBytes: sqlBytes, isObject: _, ...bounds } = facts.bounds;
  const fieldBounds = Object.hasOwn(FIELD_BOUNDS, facts.key) ? FIELD_BOUNDS[facts.key as BoundedField] : null;
  const maxBytes = sqlBytes ?? (fieldBounds?.kind === "json" ? fieldBounds.max : null);
  const schema = { ...typeOf(facts), ...bounds, ...keywordsOf(fieldBounds) };
  return { schema: facts.isNullable ? orNull(schema) : schema, maxBytes };
}

/** The JSON Schema of what another name of a column takes. */
export function describeAliasSchema(key: string): Schema {
  const type = ALIAS_TYPES[key];
  if (type === undefined) throw new Error(`no type is chosen for ${key}`);
  return namedType(type);
}

function keywordsOf(bounds: FieldBounds | null): Schema {
  switch (bounds?.kind) {
    case "text":
      return { ...(bounds.min > 0 && { minLength: bounds.min }), maxLength: bounds.max };
    case "integer":
      return { minimum: bounds.min, maximum: bounds.max };
    case "text list":
      return { items: { type: "string", minLength: bounds.min, maxLength: bounds.max }, maxItems: bounds.maxItems };
    case "json":
    case undefined:
      return {};
  }
}

function typeOf({ key, column, closedList, bounds }: ColumnFacts): Schema {
  const named = COLUMN_TYPES[key];
  if (named !== undefined) return namedType(named);
  if (closedList !== undefined) {
    const choice: Schema = { type: "string", enum: closedList };
    return column.type.category === "array" ? { type: "array", items: choice } : choice;
  }
  if (bounds.isObject === true) return { type: "object" };
  return plainType(column);
}

function namedType(name: string): Schema {
  if (COMPONENTS.has(name)) return { $ref: `#/components/schemas/${name}` };
  const schema = NAMED_TYPES[name];
  if (schema !== undefined) return schema;
  const values = valuesOf(name);
  if (values === null) throw new Error(`no schema for the type ${name}`);
  return { type: "string", enum: values };
}

function plainType({ name, type }: Column): Schema {
  switch (type.category) {
    case "boolean":
      return { type: "boolean" };
    case "number":
      return numberType(type.name);
    case "text":
      return { type: "string" };
    case "uuid":
      return { type: "string", format: "uuid" };
    case "datetime":
      return { type: "string", format: type.name === "date" ? "date" : "date-time" };
    case "json":
    case "jsonb":
      return {};
    case "array":
      if (type.elementCategory === "uuid") return { type: "array", items: { type: "string", format: "uuid" } };
      if (type.elementCategory === "text") return { type: "array", items: { type: "string" } };
      break;
    default:
      break;
  }
  throw new Error(`no schema for the column ${name} of type ${type.name}`);
}

function numberType(name: string): Schema {
  switch (name) {
    case "integer":
      return { type: "integer", format: "int32" };
    case "bigint":
      return { type: "integer", format: "int64" };
    default:
      return { type: "number" };
  }
}

function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: "null" }] };
  // Without a type, any JSON is allowed, null included.
  if (typeof type !== "string") return schema;
  return { ...schema, type: [type, "null"], ...(values !== undefined && { enum: [...values, null] }) };
}
