import type { Principal } from "../../db/index.ts";
import { AppError, ModelError } from "../../errors/index.ts";
import type { Models } from "../providers/open-models.ts";
import { createRejection } from "../rejections/rejections.ts";
import { type Answering, decideAnswering } from "../strategies/who-answers.ts";
import type { Admissions } from "./admissions.ts";
import type { RunRequest } from "./run-request.ts";
import type { AdmissionCall, Preflight, PreflightAgent, Replay } from "./sql/admit-runs.ts";
import { toAdmissionCall, toStoredRequest } from "./to-admission-call.ts";

interface PlanPorts {
  readonly admissions: Admissions;
  readonly models: Pick<Models, "describe">;
  newId(): string;
}

/** A request that may be admitted, and for whom it is charged. */
interface PlannedRun {
  readonly call: AdmissionCall;
  readonly preflight: Preflight;
  readonly answering: Answering<PreflightAgent>;
}

/** Checks a request before anything is stored, decides who answers first, and charges the user. */
export async function planRun(
  { admissions, models, newId }: PlanPorts,
  principal: Principal & { readonly userId: string },
  sent: RunRequest,
): Promise<PlannedRun | Replay> {
  const call = toAdmissionCall(newId, principal, sent);
  const found = await admissions.preflight(call);
  if ("replayed_run_id" in found) return found;
  const request = await resolveOverrides(admissions, sent, found);
  const preflight = withOverrides(found, request);
  const answering = decideAnswering({
    strategy: preflight.strategy,
    agents: preflight.agents,
    coordinatorId: preflight.coordinator_agent_id,
    agentIds: request.agentIds,
    message: request.message,
  });
  requireModel(models, preflight, { answering, hasImages: request.images.length > 0 });
  await request.charge();
  const { mentions, speakers, isNarrowed } = answering;
  const speakerIds = isNarrowed ? speakers.map(({ id }) => id) : null;
  const stored = toStoredRequest(principal, request, mentions);
  return { call: { ...call, mentions, request: stored, speaker_ids: speakerIds }, preflight, answering };
}

/** The model of a call can name its vendor, as that of an agent can. */
async function resolveOverrides(
  admissions: Pick<Admissions, "resolveModel">,
  request: RunRequest,
  { agents }: Preflight,
): Promise<RunRequest> {
  const { conversation, agentId } = request;
  const model = conversation?.overrides.model;
  const framework = conversation?.overrides.framework ?? agents.find(({ id }) => id === agentId)?.framework;
  if (conversation === null || framework === undefined || model?.includes("/") !== true) return request;
  const resolved = await admissions.resolveModel({ framework, model });
  return { ...request, conversation: { ...conversation, overrides: { ...conversation.overrides, ...resolved } } };
}

/** The agents as they answer in this run. */
function withOverrides(preflight: Preflight, { agentId, conversation }: RunRequest): Preflight {
  if (conversation === null) return preflight;
  const { framework, model } = conversation.overrides;
  const agents = preflight.agents.map((agent) =>
    agent.id === agentId
      ? { ...agent, ...(framework !== undefined && { framework }), ...(model !== undefined && { model }) }
      : agent,
  );
  return { ...preflight, agents };
}

/** Rejects a run when no agent has a usable model, or one that answers reads no images, before anything is stored. */
function requireModel(
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
