import { ArrowRight, CircleAlert, CircleCheck, CirclePause, CircleSlash, LoaderCircle, Play } from "lucide-react";
import type { ReactNode } from "react";
import { type AgentTurn, useAgentSwarms, useAgentTurns } from "../../data/agent-activity.ts";
import { useAssignments } from "../../data/agent-tools.ts";
import type { Agent } from "../../data/agents.ts";
import { useGuardrailsOf } from "../../data/guardrails.ts";
import { findModel, useModels } from "../../data/models.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { CardSection } from "../../components/card.tsx";
import { GuardrailLinks } from "../../components/guardrail-links.tsx";
import { ButtonLink, Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { ModelDetails } from "./model-details.tsx";
import { nameProvider } from "../../data/providers.ts";
import { formatDuration, formatMoney, formatTokens } from "../../components/formats.ts";
import { Timeline } from "../../components/timeline.tsx";
import { UsageStats } from "./usage-stats.tsx";

const STYLES: Readonly<Record<AgentTurn["status"], { tone: Tone; word: string; icon: ReactNode }>> = {
  waiting: { tone: "neutral", word: "Waiting", icon: <CirclePause /> },
  thinking: { tone: "thinking", word: "Thinking", icon: <LoaderCircle className="animate-spin-slow" /> },
  responding: { tone: "responding", word: "Responding", icon: <LoaderCircle className="animate-spin-slow" /> },
  completed: { tone: "good", word: "Completed", icon: <CircleCheck /> },
  failed: { tone: "bad", word: "Failed", icon: <CircleAlert /> },
  cancelled: { tone: "neutral", word: "Cancelled", icon: <CircleSlash /> },
};
const FEW = 5;

export function Overview({ agent }: { readonly agent: Agent }) {
  return (
    <div className="grid gap-5">
      <UsageStats agentId={agent.id} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <div className="grid min-w-0 gap-5">
          <Instructions agent={agent} />
          <LastTurns agent={agent} />
          <SwarmsCard agent={agent} />
        </div>
        <div className="grid min-w-0 gap-5">
          <ModelCard agent={agent} />
          <ToolsCard agent={agent} />
          <Guardrails agentId={agent.id} />
          <p className="px-1 text-sm text-ink-faint">
            Created <RelativeTime at={agent.created_at} />, last changed <RelativeTime at={agent.updated_at} />.
          </p>
        </div>
      </div>
    </div>
  );
}

function Instructions({ agent: { id, system_prompt: prompt } }: { readonly agent: Agent }) {
  return (
    <CardSection title="Instructions" action={<More to={`/agents/${id}/settings`}>Edit</More>}>
      {prompt === null ? (
        <p className="text-ink-soft">None: the model answers without a system prompt.</p>
      ) : (
        <div
          // what scrolls must be reachable by keyboard
          tabIndex={0}
          role="region"
          aria-label="Instructions"
          className="max-h-72 overflow-y-auto text-base break-words whitespace-pre-wrap text-ink-soft"
        >
          {prompt}
        </div>
      )}
    </CardSection>
  );
}

function LastTurns({ agent }: { readonly agent: Agent }) {
  const turns = useAgentTurns(agent.id, FEW);
  const { rows } = turns;
  return (
    <CardSection
      title="Last turns"
      {...(rows !== undefined &&
        rows.length > 0 && { action: <More to={`/agents/${agent.id}/activity`}>All turns</More> })}
    >
      {rows === undefined ? (
        <Skeleton className="h-32" />
      ) : rows.length === 0 ? (
        <div className="grid justify-items-start gap-3">
          <p className="text-ink-soft">No turns yet.</p>
          <ButtonLink to={`/agents/${agent.id}/try`} size="small" icon={<Play />}>
            Try it
          </ButtonLink>
        </div>
      ) : (
        <TurnList turns={rows.slice(0, FEW)} />
      )}
    </CardSection>
  );
}

function ModelCard({ agent }: { readonly agent: Agent }) {
  const models = useModels();
  const model = findModel(models.rows, agent);
  return (
    <CardSection
      title={agent.model ?? model?.id ?? "Default model"}
      description={`${nameProvider(agent.framework)}${agent.model === null ? ", its default" : ""}`}
    >
      {models.rows === undefined ? (
        <Skeleton className="h-32" />
      ) : model === undefined ? (
        <p className="text-ink-soft">This model is not in the list of the service.</p>
      ) : (
        <ModelDetails model={model} />
      )}
    </CardSection>
  );
}

function ToolsCard({ agent }: { readonly agent: Agent }) {
  const { rows } = useAssignments(agent.id);
  return (
    <CardSection title="Tools" action={<More to={`/agents/${agent.id}/tools`}>Change</More>}>
      {rows === undefined ? (
        <Skeleton className="h-8" />
      ) : rows.length === 0 ? (
        <p className="text-ink-soft">None. With tools the agent can look up data and perform actions.</p>
      ) : (
        <ul className="grid gap-2">
          {rows.map(({ id, enabled, tool }) => (
            <li key={id} className="flex min-w-0 items-center gap-2.5">
              <ToolIcon tool={tool ?? { name: "", kind: "", icon: null }} size="small" />
              <span className="min-w-0 flex-1 truncate">
                {tool === null ? "A tool that is no longer shared" : tool.name}
              </span>
              {!enabled && <Badge>Off</Badge>}
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function Guardrails({ agentId }: { readonly agentId: string }) {
  const { rows } = useGuardrailsOf({ agent_id: agentId });
  return (
    <GuardrailLinks
      of={`agent:${agentId}`}
      guardrails={rows}
      hint="None. A guardrail checks what the agent reads or answers."
    />
  );
}

function SwarmsCard({ agent }: { readonly agent: Agent }) {
  const { rows } = useAgentSwarms(agent.id);
  const memberships = rows?.flatMap(({ id, enabled, swarms }) =>
    swarms === null ? [] : [{ id, enabled, swarm: swarms }],
  );
  return (
    <CardSection title="Swarms">
      {memberships === undefined ? (
        <Skeleton className="h-8" />
      ) : memberships.length === 0 ? (
        <p className="text-ink-soft">
          Not in any swarm. <Link to="/swarms/new">Create a swarm</Link> and add the agent there.
        </p>
      ) : (
        <ul className="grid gap-2">
          {memberships.map(({ id, enabled, swarm }) => (
            <li key={id} className="flex min-w-0 items-center gap-2.5">
              <Link to={`/swarms/${swarm.id}`} className="min-w-0 flex-1 truncate">
                {swarm.name}
              </Link>
              {!enabled && <Badge>Disabled</Badge>}
              {swarm.status !== "active" && <Badge>{swarm.status}</Badge>}
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function More({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <ButtonLink to={to} variant="quiet" size="small" className="-mt-0.5 -mr-1.5">
      {children}
      <ArrowRight aria-hidden />
    </ButtonLink>
  );
}

/** "1.2K tokens · 2.4 s · $0.0012" */
function describeTurn(turn: AgentTurn): string {
  const { input_tokens: read, output_tokens: written, duration_ms: ms, cost_usd: cost } = turn;
  const tokens = (read ?? 0) + (written ?? 0);
  return [
    ...(tokens === 0 ? [] : [formatTokens(tokens)]),
    ...(ms === null ? [] : [formatDuration(ms)]),
    ...(cost === null ? [] : [formatMoney(cost)]),
  ].join(" · ");
}

/** Turns with links to their runs, the newest first. */
function TurnList({ turns }: { readonly turns: readonly AgentTurn[] }) {
  return (
    <Timeline
      label="Turns"
      items={turns.map((turn) => {
        const { tone, word, icon } = STYLES[turn.status];
        const said = describeTurn(turn);
        return {
          key: turn.id,
          tone,
          icon,
          title: <Link to={`/runs/${turn.run_id}`}>{word}</Link>,
          trailing: <RelativeTime at={turn.created_at} />,
          children: (
            <p className="-mt-1.5 text-sm break-words text-ink-soft">
              {turn.error === null ? `${turn.model}${said === "" ? "" : ` · ${said}`}` : turn.error.message}
            </p>
          ),
        };
      })}
    />
  );
}
