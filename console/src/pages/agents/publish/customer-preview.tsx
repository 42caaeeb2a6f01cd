import type { Grant } from "../../../data/agent-grants.ts";
import { useAssignments } from "../../../data/agent-tools.ts";
import type { AgentVersion } from "../../../data/agent-versions.ts";
import type { Agent } from "../../../data/agents.ts";
import { useProfile } from "../../../data/account.ts";
import { useGuardrailsOf } from "../../../data/guardrails.ts";
import { nameProvider } from "../../../data/providers.ts";
import type { PublishedAgent } from "../../../data/published-agents.ts";
import { CardSection } from "../../../components/card.tsx";
import { FirstMessage } from "../../../components/first-message.tsx";
import { JsonView } from "../../../components/json-view.tsx";

export interface CustomerPreviewProps {
  readonly agent: Agent;
  readonly grant: Grant;
  /** Whom the grant is for. */
  readonly name: string;
  readonly versions: readonly AgentVersion[];
}

/** What the customers of a grant see: their row, and the screen on which they begin. */
export function CustomerPreview({ agent, grant, name, versions }: CustomerPreviewProps) {
  const shown = useShownAgent(agent, grant, versions);
  return (
    <CardSection
      title="What a customer sees"
      description={
        <span className="wrap-anywhere">
          By the grant of {name}, from the agent and the grant as they are. Nothing is sent.
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

function useShownAgent(agent: Agent, grant: Grant, versions: readonly AgentVersion[]): PublishedAgent {
  const { id, name, avatar, description, starter_questions } = agent;
  const { payer, approver, transcripts } = grant;
  const { rows: assignments = [] } = useAssignments(id);
  const { rows: current = [] } = useGuardrailsOf({ agent_id: id });
  const { rows: profile } = useProfile();
  const version = versions.find(({ number }) => number === grant.agent_version);
  const { tools, guardrails, role, framework } = version ?? { ...agent, tools: assignments, guardrails: current };
  const configs = [
    ...tools
      .filter(({ enabled }) => enabled)
      .map((tool) => {
        const now = assignments.find(({ tool_id: toolId }) => toolId === tool.tool_id)?.tool;
        const then = "definition" in tool ? tool.definition : null;
        return now?.enabled === false ? {} : (then?.config ?? now?.config ?? {});
      }),
    ...guardrails.filter(({ is_active: isActive }) => isActive).map(({ config }) => config),
  ];
  return {
    id,
    name,
    role,
    avatar,
    description,
    starter_questions,
    payer,
    approver,
    transcripts,
    receivers: listOrigins(configs),
    provider: nameProvider(framework),
    owner_name: grant.shows_owner ? (profile?.full_name ?? null) : null,
  };
}

/** The origins of the addresses in the configurations of tools and guardrails. */
function listOrigins(configs: readonly object[]): string[] {
  const origins = configs.flatMap((config) => {
    const { url, card_url: card } = config as { readonly url?: unknown; readonly card_url?: unknown };
    const address = url ?? card;
    return typeof address === "string" ? (/^https?:\/\/[^/?#]+/.exec(address.toLowerCase())?.[0] ?? []) : [];
  });
  return [...new Set(origins)].toSorted();
}
