import { isUuid } from "@swarmbase/sdk";
import { type ExtensionCore, isRecord, readRows } from "swarmbase/extension";
import { RequestFault } from "./errors.ts";

const MODEL = /^(agent|swarm):(.+)$/i;

/** What a model name of this API stands for. */
export interface Target {
  readonly kind: "agent" | "swarm";
  readonly id: string;
}

export interface LoadedTarget extends Target {
  /** Whether text can be discarded after it was streamed: an agent answers with JSON that is checked. */
  readonly isStructured: boolean;
  readonly agentCount: number;
}

export function parseModel(model: unknown): Target {
  const [, kind = "", id = ""] = (typeof model === "string" ? MODEL.exec(model) : null) ?? [];
  if (!isUuid(id)) {
    const message = "model must be agent:<id> or swarm:<id>; GET /v1/models lists those that you can use";
    throw new RequestFault(message, { status: 404, param: "model", code: "model_not_found" });
  }
  return { kind: kind.toLowerCase() === "agent" ? "agent" : "swarm", id: id.toLowerCase() };
}

/** Throws a 404 when the caller does not see the agent or the swarm. */
export async function loadTarget(core: ExtensionCore, target: Target): Promise<LoadedTarget> {
  const { kind, id } = target;
  const select = kind === "agent" ? "settings" : "swarm_agents(enabled,agents(settings))";
  const [row] = await readRows<TargetRow>(core, `/${kind}s`, `id=eq.${id}&select=${select}`);
  if (row === undefined) throw modelNotFound(target);
  const agents = row.swarm_agents?.filter(({ enabled }) => enabled).map(({ agents }) => agents) ?? [row];
  const isStructured = agents.some((agent) => isRecord(agent?.settings?.["response_schema"]));
  return { ...target, isStructured, agentCount: agents.length };
}

interface AgentRow {
  readonly settings?: Readonly<Record<string, unknown>>;
}

interface TargetRow extends AgentRow {
  readonly swarm_agents?: readonly { readonly enabled: boolean; readonly agents: AgentRow | null }[];
}

export function modelNotFound({ kind, id }: Target): RequestFault {
  const code = kind === "agent" ? "AGENT_NOT_FOUND" : "SWARM_NOT_FOUND";
  return new RequestFault(`The model ${kind}:${id} does not exist`, { status: 404, param: "model", code });
}
