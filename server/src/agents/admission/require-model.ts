import { AppError, ModelError } from "../../errors/index.ts";
import type { Models } from "../providers/open-models.ts";
import { createRejection } from "../rejections/rejections.ts";
import type { Answering } from "../strategies/who-answers.ts";
import type { Preflight, PreflightAgent } from "./sql/admit-runs.ts";

/** Rejects a run when no agent has a usable model, or one that answers reads no images, before anything is stored. */
export function requireModel(
  models: Pick<Models, "describe">,
  { agents, own_agent_ids: ownIds }: Preflight,
  { answering, hasImages }: { readonly answering: Answering<PreflightAgent>; readonly hasImages: boolean },
): void {
  const faults: { readonly fault: ModelError; readonly isOwn: boolean }[] = [];
  let isUsable = false;
  for (const { id, framework, model } of agents) {
    if (!answering.agents.some((agent) => agent.id === id)) continue;
    try {
      const info = models.describe(framework, model);
      if (hasImages && !info.hasImages)
        throw createRejection("VALIDATION_ERROR", { images: "are not accepted by the model of the agent" });
      if (!hasImages) return;
      isUsable = true;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      faults.push({ fault: error, isOwn: ownIds.includes(id) });
    }
  }
  if (isUsable) return;
  const found = faults.find(({ fault: { code } }) => code === "PROVIDER_NOT_CONFIGURED") ?? faults[0];
  if (found === undefined) throw createRejection("NO_AGENTS");
  const { fault, isOwn } = found;
  const code = fault.code === "INVALID_MODEL" ? "INVALID_MODEL" : "PROVIDER_NOT_CONFIGURED";
  // The model of an agent is its owner's to know.
  throw new AppError(code, isOwn ? fault.message : "The agent has no model that can be used");
}
