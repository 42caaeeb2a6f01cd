import { isAppEventType } from "@swarmbase/sdk";
import { FINE, fault, nullable } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { boolean } from "../fields/plain-fields.ts";
import { text } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { type TableRule, tableRule } from "./table-rule.ts";
import type { ToolRuleChecks } from "./tool-rules.ts";

export function eventTypeRule(checks: Pick<ToolRuleChecks, "findSchemaFault"> | null): TableRule {
  return tableRule({
    name: "event_types",
    required: ["name"],
    ignored: ["created_at", "updated_at"],
    fields: {
      id: uuid(),
      name: text("event_types.name", (name) =>
        isAppEventType(name)
          ? FINE
          : fault("must be app. and words of lower-case letters, digits and _, joined by dots"),
      ),
      description: nullable(text("event_types.description")),
      schema: nullable(
        jsonObject("event_types.schema", (schema) => {
          const message = checks?.findSchemaFault(schema) ?? null;
          return message === null ? FINE : fault(message);
        }),
      ),
      example: nullable(jsonObject("event_types.example")),
      users_may_emit: boolean(),
      listed: boolean(),
    },
  });
}
