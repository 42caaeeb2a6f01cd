import { Play } from "lucide-react";
import { useMemo } from "react";
import { type AgentTurn, useAgentTurns, useAgentUsage } from "../../data/agent-activity.ts";
import type { Agent } from "../../data/agents.ts";
import { CardSection } from "../../components/card.tsx";
import { Chart } from "../../components/chart.tsx";
import type { Column } from "../../components/data-table.tsx";
import { formatCompact, formatDuration, formatMoney } from "../../components/formats.ts";
import { ButtonLink } from "../../components/link.tsx";
import { List } from "../../components/list-page.tsx";
import { isStatus, StatusBadge } from "../../components/status-dot.tsx";
import { whenColumn } from "../../components/when-column.tsx";
import { UsageStats, USAGE_DAYS, useSince } from "./usage-stats.tsx";

const DAY_SECONDS = 86_400;
const COLUMNS: readonly Column<AgentTurn>[] = [
  {
    title: "Turn",
    width: "9rem",
    narrow: "title",
    text: ({ status }) => status,
    render: ({ status }) => (isStatus(status) ? <StatusBadge status={status} /> : status),
  },
  {
    title: "Model",
    width: "2fr",
    text: ({ model }) => model,
    render: ({ model, error }) => (error === null ? model : <span className="text-bad">{error.message}</span>),
  },
  {
    title: "Tokens",
    isNumber: true,
    render: ({ input_tokens: read, output_tokens: written }) =>
      read === null && written === null ? "none" : `${formatCompact(read ?? 0)} → ${formatCompact(written ?? 0)}`,
  },
  {
    title: "Duration",
    isNumber: true,
    render: ({ duration_ms: ms }) => (ms === null ? "" : formatDuration(ms)),
  },
  {
    title: "Cost",
    isNumber: true,
    render: ({ cost_usd: cost }) => (cost === null ? "unknown" : formatMoney(cost)),
  },
  whenColumn(),
];

export function Activity({ agent }: { readonly agent: Agent }) {
  return (
    <div className="grid gap-5">
      <UsageStats agentId={agent.id} />
      <Tokens agentId={agent.id} />
      <Turns agent={agent} />
    </div>
  );
}

function Tokens({ agentId }: { readonly agentId: string }) {
  const since = useSince();
  const { rows } = useAgentUsage(agentId, since);
  const { times, series } = useMemo(() => {
    const first = Date.parse(since) / 1000;
    const days = Array.from({ length: USAGE_DAYS }, (_, index) => first + index * DAY_SECONDS);
    const of = (read: (row: NonNullable<typeof rows>[number]) => number) =>
      days.map((day) =>
        (rows ?? []).filter((row) => Date.parse(row.day) / 1000 === day).reduce((total, row) => total + read(row), 0),
      );
    return {
      times: days,
      series: [
        { label: "Read", color: "--accent", kind: "bars", values: of((row) => row.input_tokens) },
        { label: "Written", color: "--good", kind: "bars", values: of((row) => row.output_tokens) },
      ] as const,
    };
  }, [rows, since]);
  if (rows === undefined || rows.length === 0) return null;
  return (
    <CardSection
      title="Tokens a day"
      description={`The last ${USAGE_DAYS} days, for runs that you pay for or started.`}
    >
      <Chart
        label="Tokens read and written each day"
        times={times}
        series={series}
        format={formatCompact}
        isStacked
        height={180}
      />
    </CardSection>
  );
}

function Turns({ agent }: { readonly agent: Agent }) {
  const turns = useAgentTurns(agent.id);
  return (
    <List
      noun="turns"
      pages={turns}
      empty="A turn is one reply of an agent, with its tool calls, cost and duration. This list shows the turns in all swarms that you are in."
      picture="events"
      emptyAction={
        <ButtonLink to={`/agents/${agent.id}/try`} variant="primary" icon={<Play />}>
          Try it
        </ButtonLink>
      }
      table={{
        columns: COLUMNS,
        onOpen: {
          label: ({ model, created_at: at }) => `Open the run of the turn with ${model} at ${at}`,
          to: ({ run_id: runId }) => `/runs/${runId}`,
        },
      }}
    />
  );
}
