import { AGENT_STATUSES, FIELD_BOUNDS, FRAMEWORKS, TOOL_KINDS, TOOL_VISIBILITIES } from "@swarmbase/sdk";
import { FINE, fault, filledIn, nullable } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { boolean, integer } from "../fields/plain-fields.ts";
import { choice, httpUrl, text, trimmedText } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { checkAgentSettings } from "./agent-settings.ts";
import { tableRule } from "./table-rule.ts";

export const AGENTS = tableRule({
  name: "agents",
  required: ["name"],
  requiredOfService: ["user_id"],
  ignored: ["created_at", "updated_at", "status_changed_at"],
  fields: {
    id: uuid(),
    user_id: uuid(),
    name: trimmedText("agents.name"),
    role: nullable(text("agents.role")),
    avatar: nullable(httpUrl("agents.avatar")),
    framework: choice(FRAMEWORKS, (message) => fault(message, "INVALID_FRAMEWORK")),
    // An empty one means none. Whether the framework offers it is for the database, which knows the other half of the pair.
    model: nullable(text({ min: 0, max: FIELD_BOUNDS["agents.model"].max })),
    system_prompt: nullable(text("agents.system_prompt")),
    settings: jsonObject("agents.settings", checkAgentSettings),
    status: choice(AGENT_STATUSES),
  },
});

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

export const TOOLS = tableRule({
  name: "tools",
  required: ["name", "description"],
  ignored: ["created_at", "updated_at"],
  fields: {
    id: uuid(),
    owner_id: nullable(uuid()),
    name: text({ min: 1, max: 64 }, (name) =>
      TOOL_NAME.test(name) ? FINE : fault("must begin with a letter or _ and go on with letters, digits, _ and -"),
    ),
    description: text("tools.description"),
    category: nullable(text("tools.category")),
    icon: nullable(text("tools.icon")),
    input_schema: jsonObject("tools.input_schema", (schema) =>
      Object.hasOwn(schema, "type") && schema["type"] === "object"
        ? FINE
        : [{ path: "type", message: 'must be "object"', code: null }],
    ),
    kind: choice(TOOL_KINDS),
    config: jsonObject("tools.config"),
    visibility: choice(TOOL_VISIBILITIES),
    requires_approval: boolean(),
    timeout_ms: integer("tools.timeout_ms"),
    max_output_chars: integer("tools.max_output_chars"),
    enabled: boolean(),
  },
});

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
