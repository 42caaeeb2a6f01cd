import { record, TIME, UUID } from "../schemas/schema-parts.ts";
import { TABLE_PREFIX } from "../tables/table-text.ts";
import type { Operation, Schema } from "./document.ts";
import { headersOf, rowsSchema } from "./table-answers.ts";
import { tableErrors } from "./table-responses.ts";

interface AttemptCountsParts {
  readonly summary: string;
  readonly description: string;
  readonly requestBody: NonNullable<Operation["requestBody"]>;
  readonly responses: Operation["responses"];
}

type ToOperation = (operationId: string, parts: AttemptCountsParts) => Operation;

/** The path of the function `webhook_attempt_counts`. */
export function describeAttemptCounts(
  toOperation: ToOperation,
): Readonly<Record<string, { readonly post: Operation }>> {
  const count: Schema = { type: "integer", minimum: 0 };
  const milliseconds: Schema = { type: ["integer", "null"] };
  const post = toOperation("getWebhookAttemptCounts", {
    summary: "Count the attempts of a webhook over time",
    description: "Returns one row for each period, the oldest first; no row for a webhook of another user.",
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              webhook_id: UUID,
              since: TIME,
              until: TIME,
              periods: {
                type: "integer",
                minimum: 1,
                maximum: 100,
                default: 24,
                description: "The number of periods, all of the same length.",
              },
            },
            required: ["webhook_id", "since", "until"],
          },
        },
      },
    },
    responses: {
      200: {
        description: "The rows",
        headers: headersOf(),
        content: {
          "application/json": {
            schema: rowsSchema(
              record({
                since: TIME,
                until: TIME,
                delivered: count,
                retried: count,
                failed: count,
                p50_ms: milliseconds,
                p95_ms: milliseconds,
                slowest_ms: milliseconds,
                is_complete: { type: "boolean" },
              }),
            ),
          },
        },
      },
      ...tableErrors("post"),
      ...tableErrors("get"),
    },
  });
  return { [`${TABLE_PREFIX}/rpc/webhook_attempt_counts`]: { post } };
}
