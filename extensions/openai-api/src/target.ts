import { isUuid } from "@swarmbase/sdk";
import { AppError, type ExtensionCore, isRecord, readRows, type TableRow } from "swarmbase/extension";
import { fault } from "./errors.ts";

const MODEL = /^(agent|swarm):(.+)$/i;

/** What a model name of this API stands for. */
interface Target {
  readonly kind: "agent" | "swarm";
  readonly id: string;
}

export interface LoadedTarget extends Target {
  /** An agent of somebody else, or of nobody: the caller asks it in a private conversation, and cannot change how it answers. */
  readonly isForeign: boolean;
  /** Whether text can be discarded after it was streamed: an agent answers with JSON that is checked. */
  readonly isStructured: boolean;
  readonly agentCount: number;
}

export function parseModel(model: unknown): Target {
  const [, kind = "", id = ""] = (typeof model === "string" ? MODEL.exec(model) : null) ?? [];
  if (!isUuid(id)) {
    const reason = "must be agent:<id> or swarm:<id>; GET /v1/models lists those that you can use";
    throw fault("model_not_found", "model", reason, 404);
  }
  return { kind: kind.toLowerCase() === "agent" ? "agent" : "swarm", id: id.toLowerCase() };
}

type AgentRow = Partial<TableRow<"agents", "settings">>;
type TargetRow = AgentRow & {
  readonly swarm_agents?: readonly { readonly enabled: boolean; readonly agents: AgentRow | null }[];
};

/** Throws a 404 when the caller does not see the swarm. Whether the caller may ask an agent of somebody else, its grants decide. */
export async function loadTarget(core: ExtensionCore, target: Target): Promise<LoadedTarget> {
  const { kind, id } = target;
  const select = kind === "agent" ? "settings" : "swarm_agents(enabled,agents(settings))";
  const [row] = await readRows<TargetRow>(core, `/${kind}s`, `id=eq.${id}&select=${select}`);
  if (row === undefined) {
    if (kind === "agent") return { ...target, isForeign: true, isStructured: false, agentCount: 1 };
    throw modelNotFound(target);
  }
  const agents = row.swarm_agents?.filter(({ enabled }) => enabled).map(({ agents }) => agents) ?? [row];
  const isStructured = agents.some((agent) => isRecord(agent?.settings?.["response_schema"]));
  return { ...target, isForeign: false, isStructured, agentCount: agents.length };
}

export function modelNotFound({ kind, id }: Target): AppError {
  const code = kind === "agent" ? "AGENT_NOT_FOUND" : "SWARM_NOT_FOUND";
  return new AppError(code, "The request is not valid", { details: { model: `${kind}:${id} does not exist` } });
}
