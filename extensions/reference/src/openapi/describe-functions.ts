import { listOf, record, TEXT, TIME, UUID } from "../schemas/schema-parts.ts";
import { type CallDescription, TABLE_PREFIX } from "../tables/table-description.ts";
import type { Operation, Reference, Schema } from "./document.ts";
import { headersOf, rowsSchema } from "./table-answers.ts";
import { parameterOf } from "./table-parameters.ts";
import { tableErrors } from "./table-responses.ts";

interface Answer {
  readonly description: string;
  readonly schema: Schema;
  /** Rows are read as those of a table. */
  readonly hasRows: boolean;
}

interface FunctionText {
  readonly operationId: string;
  readonly body: Schema;
  /** Of a body that may be left out, by its name. */
  readonly example?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly parameters?: readonly string[];
  readonly answer: Answer;
}

const COUNT: Schema = { type: "integer", minimum: 0 };
const NUMBER: Schema = { type: "integer", minimum: 1 };

/** The functions of the service below `/rest/v1/rpc`, by name. */
const FUNCTIONS: Readonly<Record<string, FunctionText>> = {
  webhook_attempt_counts: {
    operationId: "getWebhookAttemptCounts",
    body: {
      type: "object",
      properties: {
        webhook_id: UUID,
        since: TIME,
        until: TIME,
        periods: periodOf(100, "The number of periods, all of the same length."),
      },
      required: ["webhook_id", "since", "until"],
    },
    answer: rowsOf({
      since: TIME,
      until: TIME,
      delivered: COUNT,
      retried: COUNT,
      failed: COUNT,
      ...timesOf("integer", ["p50_ms", "p95_ms", "slowest_ms"]),
      is_complete: { type: "boolean" },
    }),
  },
  webhook_health: {
    operationId: "getWebhookHealth",
    parameters: ["select", "order", "limit", "offset"],
    body: {
      type: "object",
      properties: {
        webhook_id: { ...UUID, description: "The default is all webhooks of the caller." },
        hours: periodOf(720, "The length of the period."),
      },
    },
    example: { "the last day": { value: { hours: 24 } } },
    answer: rowsOf({
      webhook_id: UUID,
      since: TIME,
      until: TIME,
      attempts: COUNT,
      delivered: COUNT,
      retried: COUNT,
      failed: COUNT,
      success_rate: { type: ["number", "null"], minimum: 0, maximum: 1 },
      ...timesOf("number", ["p50_ms", "p95_ms"]),
      pending: COUNT,
      retrying: COUNT,
    }),
  },
  emit_event: {
    operationId: "emitEvent",
    body: {
      type: "object",
      properties: {
        type: { $ref: "#/components/schemas/AppEventType" },
        data: { type: "object" },
        user_id: { ...UUID, description: "The webhooks of this user receive it." },
        swarm_id: { ...UUID, description: "The webhooks of the members receive it." },
      },
      required: ["type", "data"],
    },
    answer: { description: "The id of the event, as the envelope has it", schema: TEXT, hasRows: false },
  },
  restore_agent_version: {
    operationId: "restoreAgentVersion",
    body: record({ agent_id: UUID, number: NUMBER }),
    answer: {
      description: "Restored. `missing_tools` lists tools that no longer exist or are no longer shared",
      schema: record({ agent_id: UUID, number: NUMBER, missing_tools: listOf(record({ tool_id: UUID, name: TEXT })) }),
      hasRows: false,
    },
  },
};

interface FunctionFields extends Pick<Operation, "summary" | "responses"> {
  readonly description: string;
  readonly parameters?: readonly Reference[];
  readonly requestBody: NonNullable<Operation["requestBody"]>;
}

type ToOperation = (operationId: string, parts: FunctionFields) => Operation;

export function describeFunctions(
  calls: readonly CallDescription[],
  toOperation: ToOperation,
): Readonly<Record<string, { readonly post: Operation }>> {
  return Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, { operationId, parameters, body, example, answer }]) => {
      const call = calls.find((one) => one.name === name);
      if (call === undefined) throw new Error(`the function ${name} has no comment`);
      const post = toOperation(operationId, {
        summary: call.summary,
        description: call.description,
        ...(parameters !== undefined && { parameters: parameters.map(parameterOf) }),
        requestBody: {
          required: example === undefined,
          content: { "application/json": { schema: body, ...(example !== undefined && { examples: example }) } },
        },
        responses: {
          200: {
            description: answer.description,
            headers: headersOf(),
            content: { "application/json": { schema: answer.schema } },
          },
          ...tableErrors("post"),
          ...(answer.hasRows && tableErrors("get")),
        },
      });
      return [`${TABLE_PREFIX}/rpc/${name}`, { post }];
    }),
  );
}

function rowsOf(columns: Readonly<Record<string, Schema>>): Answer {
  return { description: "The rows", schema: rowsSchema(record(columns)), hasRows: true };
}

function periodOf(maximum: number, description: string): Schema {
  return { type: "integer", minimum: 1, maximum, default: 24, description };
}

function timesOf(type: string, names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, { type: [type, "null"] }]));
}
