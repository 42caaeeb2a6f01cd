import { actsForAsker } from "@swarmbase/sdk";
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

interface CustomerPreviewProps {
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
  const offered = tools.flatMap((tool) => {
    const now = assignments.find(({ tool_id: toolId }) => toolId === tool.tool_id)?.tool;
    const config = ("definition" in tool ? tool.definition?.config : null) ?? now?.config ?? {};
    return tool.enabled && now?.enabled === true ? [{ kind: now.kind, name: now.name, config }] : [];
  });
  const checks = guardrails.filter(({ is_active: isActive }) => isActive);
  const frameworks = checks.flatMap(({ config }) => ("framework" in config ? (config.framework ?? []) : []));
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
    receivers: listOrigins([...offered.map(findAddress), ...checks.map(findUrl)]),
    provider: [...new Set([framework, ...frameworks].map(nameProvider))].toSorted().join(", "),
    owner_name: grant.shows_owner ? (profile?.full_name ?? null) : null,
    acts_for_asker: offered.some((tool) => actsForAsker(tool) && (agent.acts_for_askers || tool.kind === "schedule")),
  };
}

interface OfferedTool {
  readonly kind: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The model chooses the address of `http_get`. */
function findAddress({ kind, name, config }: OfferedTool): unknown {
  return config["url"] ?? config["card_url"] ?? (kind === "builtin" && name === "http_get" ? "https://*" : undefined);
}

function findUrl({ config }: Pick<AgentVersion["guardrails"][number], "config">): unknown {
  return "url" in config ? config.url : undefined;
}

function listOrigins(addresses: readonly unknown[]): string[] {
  const origins = addresses.flatMap((address) =>
    typeof address === "string" ? (/^https?:\/\/[^/?#]+/.exec(address.toLowerCase())?.[0] ?? []) : [],
  );
  return [...new Set(origins.map((origin) => origin.replace(/\/\/.*@/, "//")))].toSorted();
}
