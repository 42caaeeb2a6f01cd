import type { Agent, AgentDraft } from "./agents.ts";
import type { Row } from "./client.ts";
import type { EventFeed, EventFeedDraft } from "./event-feeds.ts";
import { type SaveEdit, useSaveEdit } from "./save-edit.ts";
import type { SwarmChange } from "./swarms.ts";
import type { Tool, ToolUpdate } from "./tools.ts";
import { type Webhook, type WebhookDraft, webhookColumns } from "./webhooks.ts";

// Apart from the reads of these tables, so that pages without forms do not load how a form is saved.

/** A change of how an agent answers makes a version. */
export function useSaveAgent(): SaveEdit<Agent, Partial<AgentDraft>> {
  return useSaveEdit({ table: "agents", affects: ["agent_versions"] });
}

export function useSaveSwarm(): SaveEdit<Row<"swarms">, SwarmChange> {
  return useSaveEdit({ table: "swarms" });
}

export function useSaveTool(): SaveEdit<Tool, ToolUpdate> {
  return useSaveEdit({ table: "tools", affects: ["agent_tools", "agent_versions"] });
}

export function useSaveEventFeed(): SaveEdit<EventFeed, EventFeedDraft> {
  return useSaveEdit({ table: "event_feeds" });
}

export function useSaveWebhook(): SaveEdit<Webhook, WebhookDraft> {
  return useSaveEdit({ table: "webhooks", columns: webhookColumns() });
}
