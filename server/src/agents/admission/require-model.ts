import { AppError, ModelError } from "../../errors/index.ts";
import type { Models } from "../providers/open-models.ts";
import { createRejection } from "../rejections/rejections.ts";
import type { Answering } from "../strategies/who-answers.ts";
import type { PreflightAgent } from "./sql/admit-runs.ts";

/** Rejects a run when no agent has a usable model, before anything is stored. */
export function requireModel(
  models: Pick<Models, "describe">,
  agents: readonly PreflightAgent[],
  answering: Answering<PreflightAgent>,
): void {
  const faults: ModelError[] = [];
  for (const { id, framework, model } of agents) {
    if (!answering.agents.some((agent) => agent.id === id)) continue;
    try {
      models.describe(framework, model);
      return;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      faults.push(error);
    }
  }
  const fault = faults.find(({ code }) => code === "PROVIDER_NOT_CONFIGURED") ?? faults[0];
  if (fault === undefined) throw createRejection("NO_AGENTS");
  const code = fault.code === "INVALID_MODEL" ? "INVALID_MODEL" : "PROVIDER_NOT_CONFIGURED";
  throw new AppError(code, fault.message);
}
