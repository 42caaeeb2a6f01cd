import type { Grant } from "../../../data/agent-grants.ts";
import { useAssignments } from "../../../data/agent-tools.ts";
import type { AgentVersion } from "../../../data/agent-versions.ts";
import type { Agent } from "../../../data/agents.ts";
import { useProfile } from "../../../data/account.ts";
import { useGuardrailsOf } from "../../../data/guardrails.ts";
import { nameProvider } from "../../../data/providers.ts";
import { CardSection } from "../../../components/card.tsx";
import { FirstMessage, type ShownAgent } from "../../../components/first-message.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { nameAudience } from "./describe-grant.ts";

export interface CustomerPreviewProps {
  readonly agent: Agent;
  readonly grant: Grant;
  readonly names: ReadonlyMap<string, string>;
  readonly versions: readonly AgentVersion[];
}

/** What the customers of a grant see: their row, and the screen on which they begin. */
export function CustomerPreview({ agent, grant, names, versions }: CustomerPreviewProps) {
  const shown = useShownAgent(agent, grant, versions);
  return (
    <CardSection
      title="What a customer sees"
      description={
        <span className="wrap-anywhere">
          By the grant of {nameAudience(grant, names)}, from the agent and the grant as they are. Nothing is sent.
        </span>
      }
    >
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
        <section aria-label="Preview as a customer" className="min-w-0">
          <FirstMessage key={grant.id} agent={shown} />
        </section>
        <JsonView label="The row of published_agents" value={shown} />
      </div>
    </CardSection>
  );
}

function useShownAgent(agent: Agent, grant: Grant, versions: readonly AgentVersion[]): ShownAgent {
  const { rows: assignments = [] } = useAssignments(agent.id);
  const { rows: guardrails = [] } = useGuardrailsOf({ agent_id: agent.id });
  const { rows: profile } = useProfile();
  const version = versions.find(({ number }) => number === grant.agent_version);
  const configs =
    version === undefined
      ? [
          ...assignments
            .filter(({ enabled, tool }) => enabled && tool?.enabled === true)
            .map(({ tool }) => tool?.config),
          ...guardrails.filter(({ is_active: isActive }) => isActive).map(({ config }) => config),
        ]
      : version.tools.filter(({ enabled }) => enabled).map((tool) => ("config" in tool ? tool.config : null));
  return {
    id: agent.id,
    name: agent.name,
    role: version === undefined ? agent.role : version.role,
    description: agent.description,
    starter_questions: agent.starter_questions,
    payer: grant.payer,
    approver: grant.approver,
    transcripts: grant.transcripts,
    receivers: listOrigins(configs),
    provider: nameProvider(version?.framework ?? agent.framework),
    owner_name: grant.shows_owner ? (profile?.full_name ?? null) : null,
  };
}

/** The origins of the addresses in the configurations of tools and guardrails. */
function listOrigins(configs: readonly unknown[]): readonly string[] {
  const origins = configs.flatMap((config) => {
    const { url, card_url: card } = (config ?? {}) as { readonly url?: unknown; readonly card_url?: unknown };
    const address = url ?? card;
    return typeof address === "string" ? (/^https?:\/\/[^/?#]+/.exec(address.toLowerCase())?.[0] ?? []) : [];
  });
  return [...new Set(origins)].toSorted();
}
