import { AGENT_STATUSES, FIELD_BOUNDS, FRAMEWORKS } from "@swarmbase/sdk";
import { fault, nullable } from "../fields/field.ts";
import { jsonObject, textList } from "../fields/json-field.ts";
import { choice, httpUrl, text, trimmedText } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { type AgentChecks, checkAgentSettings } from "./check-agent-settings.ts";
import { type TableRule, tableRule } from "./table-rule.ts";

export function agentRule(checks: AgentChecks | null): TableRule {
  return tableRule({
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
      description: nullable(text("agents.description")),
      starter_questions: textList("agents.starter_questions"),
      framework: choice(FRAMEWORKS, (message) => fault(message, "INVALID_FRAMEWORK")),
      // An empty model means none. The database checks whether the stored framework offers it.
      model: nullable(text({ min: 0, max: FIELD_BOUNDS["agents.model"].max })),
      system_prompt: nullable(text("agents.system_prompt")),
      settings: jsonObject("agents.settings", (settings) => checkAgentSettings(settings, checks)),
      status: choice(AGENT_STATUSES),
    },
  });
}
