import type { Json } from "@swarmbase/sdk";
import type { ReactNode } from "react";
import { useApprovals } from "../../data/approvals.ts";
import { useDecision } from "../../data/runs.ts";
import { ApprovalCard } from "../../components/approval-card.tsx";
import type { Agent } from "../../data/agents.ts";
import type { LiveTool, LiveTurn } from "../../data/live-run.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Badge } from "../../components/badge.tsx";
import { formatMoney, formatUsage } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { ToolLines } from "../../components/tool-lines.tsx";

export function UserMessage({ text, at }: { readonly text: string; readonly at?: string }) {
  return (
    <div className="grid justify-items-end gap-1">
      <div className="max-w-[85%] min-w-0 rounded-xl rounded-br-sm bg-accent-soft px-3.5 py-2">
        <MessageText content={text} />
      </div>
      {at !== undefined && (
        <span className="text-xs text-ink-faint">
          <RelativeTime at={at} />
        </span>
      )}
    </div>
  );
}

interface AgentMessageProps {
  readonly agent: Pick<Agent, "id" | "name">;
  /** Null means that the run has no page, because its swarm is hidden. */
  readonly swarmId: string | null;
  readonly text: string;
  /** The value of a structured reply. */
  readonly data?: Json;
  readonly at?: string;
  readonly runId: string | null;
  /** The live turn, if it happened while this page was open. */
  readonly turn: LiveTurn | undefined;
  /** Takes the place of the text. */
  readonly comparison?: ReactNode;
  /** Takes the place of the line with the tokens. */
  readonly figures?: ReactNode;
}

export function AgentMessage(props: AgentMessageProps) {
  const { agent, swarmId, text, data = null, at, runId, turn, comparison, figures } = props;
  const isSpeaking = turn?.status === "thinking" || turn?.status === "responding";
  const isAsking = turn?.tools.some(({ status }) => status === "pending_approval") === true;
  return (
    <div className="flex min-w-0 gap-3">
      <Avatar name={agent.name} seed={agent.id} shape="agent" size="small" />
      <div className="grid min-w-0 flex-1 gap-2.5">
        <ToolLines tools={turn?.tools.filter(({ status }) => status !== "pending_approval") ?? []} />
        {turn?.tools.map(
          (tool) =>
            runId !== null &&
            tool.status === "pending_approval" && (
              <Decision key={tool.id} tool={tool} runId={runId} agentName={agent.name} />
            ),
        )}
        {text === "" ? (
          isSpeaking &&
          !isAsking && (
            <p role="status" className="flex items-center gap-2 text-ink-soft">
              <StatusDot status="thinking" />
              {agent.name} is thinking …
            </p>
          )
        ) : (
          <div className="min-w-0 break-words" aria-busy={isSpeaking || undefined}>
            {comparison ?? <MessageText content={text} data={data} isFromAgent />}
          </div>
        )}
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-ink-faint tabular-nums">
          {at !== undefined && <RelativeTime at={at} />}
          {turn?.status === "cancelled" && <Badge>Stopped</Badge>}
          {turn?.status === "failed" && <Badge tone="bad">Failed</Badge>}
          {figures === undefined && turn !== undefined && turn.usage !== null && (
            <span>
              Tokens: {formatUsage(turn.usage)}
              {turn.usage.cost_usd !== null && `, ${formatMoney(turn.usage.cost_usd)}`}
            </span>
          )}
          {swarmId !== null && runId !== null && !isSpeaking && <Link to={`/runs/${runId}`}>View run</Link>}
        </p>
        {figures}
      </div>
    </div>
  );
}

interface DecisionProps {
  readonly tool: LiveTool;
  readonly runId: string;
  readonly agentName: string;
}

function Decision({ tool, runId, agentName }: DecisionProps) {
  const { rows: approvals } = useApprovals();
  const decision = useDecision({ runId, toolExecutionId: tool.id });
  // The stream of a run shows all people the same, so it lacks a question that only the one who decides may see.
  const mine = approvals?.find(({ id }) => id === tool.id);
  return (
    <ApprovalCard
      // A call can ask again, and each question is a form of its own.
      key={`${mine?.question?.id} ${tool.expiresAt}`}
      toolName={tool.name}
      agentName={agentName}
      input={tool.input}
      question={mine?.question ?? null}
      expiresAt={tool.expiresAt}
      decision={mine === undefined ? null : decision}
    />
  );
}
