import type { OpenedExtensions } from "../../extensions/index.ts";
import type { NamedFunction } from "../../functions/index.ts";
import type { Limits } from "../../limits/index.ts";
import type { RestModule } from "../../rest/index.ts";
import type { WebhookModule } from "../../webhooks/index.ts";
import type { OpenedAgents } from "./open-agent-module.ts";
import type { OpenedAuth } from "./open-auth-module.ts";
import type { OpenedRealtime } from "./open-realtime-module.ts";

/** The opened modules of a process. */
export interface Services extends OpenedAuth {
  readonly extensions: OpenedExtensions;
  readonly webhooks: WebhookModule;
  readonly limits: Limits;
  readonly agents: OpenedAgents;
  readonly rest: RestModule;
  readonly realtime: OpenedRealtime;
  readonly functions: readonly NamedFunction[];
}
