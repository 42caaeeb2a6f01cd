import type { EventUsage, Json } from "@swarmbase/sdk";
import { ShieldQuestion, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { Agent } from "../../data/agents.ts";
import { useApprovals } from "../../data/approvals.ts";
import type { LiveTool, LiveTurn } from "../../data/live-run.ts";
import { useDecision } from "../../data/runs.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Badge, type Tone } from "../../components/badge.tsx";
import { DecisionForm } from "../../components/decision-form.tsx";
import { formatCount, formatDuration, formatMoney } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { Link } from "../../components/link.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { StatusDot } from "../../components/status-dot.tsx";

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

export interface AgentMessageProps {
  readonly agent: Pick<Agent, "id" | "name">;
  /** Null: the run has no page, because its swarm is hidden. */
  readonly swarmId: string | null;
  readonly text: string;
  /** The value of a structured reply. */
  readonly data?: Json;
  readonly at?: string;
  readonly runId: string | null;
  /** The live turn, if it happened while this page was open. */
  readonly turn: LiveTurn | undefined;
  /** Takes the place of the line with the tokens. */
  readonly figures?: ReactNode;
}

export function AgentMessage({ agent, swarmId, text, data = null, at, runId, turn, figures }: AgentMessageProps) {
  const isSpeaking = turn?.status === "thinking" || turn?.status === "responding";
  const isAsking = turn?.tools.some(({ status }) => status === "pending_approval") === true;
  return (
    <div className="flex min-w-0 gap-3">
      <Avatar name={agent.name} seed={agent.id} shape="agent" size="small" />
      <div className="grid min-w-0 flex-1 gap-2.5">
        {turn?.tools.map((tool) => (
          <ToolCall key={tool.id} tool={tool} runId={runId} />
        ))}
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
            <MessageText content={text} data={data} isFromAgent />
          </div>
        )}
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-ink-faint tabular-nums">
          {at !== undefined && <RelativeTime at={at} />}
          {turn?.status === "cancelled" && <Badge>Stopped</Badge>}
          {turn?.status === "failed" && <Badge tone="bad">Failed</Badge>}
          {figures === undefined && turn !== undefined && turn.usage !== null && (
            <span>{describeUsage(turn.usage)}</span>
          )}
          {swarmId !== null && runId !== null && !isSpeaking && (
            <Link to={`/swarms/${swarmId}/runs/${runId}`}>See the run</Link>
          )}
        </p>
        {figures}
      </div>
    </div>
  );
}

function describeUsage({ input_tokens: read, output_tokens: written, cost_usd: cost }: EventUsage): string {
  const tokens = `${formatCount(read)} tokens read, ${formatCount(written)} written`;
  return cost === null ? tokens : `${tokens}, ${formatMoney(cost)}`;
}

const TOOL_STYLES: Readonly<Record<LiveTool["status"], { readonly tone: Tone; readonly word: string }>> = {
  running: { tone: "responding", word: "Running" },
  pending_approval: { tone: "thinking", word: "Waiting for approval" },
  pending_client: { tone: "thinking", word: "Waiting for the app" },
  waiting: { tone: "thinking", word: "Waiting" },
  succeeded: { tone: "good", word: "Done" },
  failed: { tone: "bad", word: "Failed" },
  denied: { tone: "neutral", word: "Denied" },
  timed_out: { tone: "bad", word: "Timed out" },
  cancelled: { tone: "neutral", word: "Stopped" },
};

function ToolCall({ tool, runId }: { readonly tool: LiveTool; readonly runId: string | null }) {
  const { tone, word } = TOOL_STYLES[tool.status];
  const isAsking = tool.status === "pending_approval";
  return (
    <details open={isAsking} className="min-w-0 rounded-md border border-line bg-sunken">
      <summary className="flex flex-wrap items-center gap-2 px-3 py-2 text-sm">
        {isAsking ? (
          <ShieldQuestion className="size-4 text-thinking" aria-hidden />
        ) : (
          <Wrench className="size-4 text-ink-faint" aria-hidden />
        )}
        <span className="font-medium">{tool.name}</span>
        <Badge tone={tone}>{word}</Badge>
        {tool.durationMs !== null && (
          <span className="ml-auto text-ink-faint tabular-nums">{formatDuration(tool.durationMs)}</span>
        )}
      </summary>
      <div className="grid gap-2.5 px-3 pb-3">
        {tool.input !== undefined && <JsonView label="Input" value={tool.input} />}
        {tool.output !== undefined && <JsonView label="Output" value={tool.output} />}
        {tool.error !== null && <p className="text-sm text-bad">{tool.error.message}</p>}
        {isAsking && runId !== null && <Decision tool={tool} runId={runId} />}
      </div>
    </details>
  );
}

function Decision({ tool, runId }: { readonly tool: LiveTool; readonly runId: string }) {
  const { rows: approvals } = useApprovals();
  const decision = useDecision({ runId, toolExecutionId: tool.id });
  // The stream of a run shows all people the same, so it lacks a question that only the one who decides may see.
  const mine = approvals?.find(({ id }) => id === tool.id);
  if (mine === undefined) return null;
  // A call can ask again, and each question is a form of its own.
  return <DecisionForm key={`${mine.question?.id} ${tool.expiresAt}`} question={mine.question} {...decision} />;
}
