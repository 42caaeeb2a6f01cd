import { TriangleAlert } from "lucide-react";
import type { LiveRun, LiveTool, LiveTurn } from "../../../data/live-run.ts";
import { MessageText } from "../../../components/message-text.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { toSentence } from "../../../components/to-sentence.ts";
import { TurnTools } from "../runs/approval-card.tsx";
import { MessageFrame } from "./message-frame.tsx";

/** A turn in progress. */
export function LiveTurnView({ run, turn }: { readonly run: LiveRun; readonly turn: LiveTurn }) {
  const { agentName, agentId, status, text, tools, error } = turn;
  const waiting = tools.find(
    ({ status: of }) => of === "pending_approval" || of === "pending_client" || of === "waiting",
  );
  return (
    <MessageFrame name={agentName} seed={agentId ?? agentName} isAgent trailing={<TurnStatus turn={turn} />}>
      <TurnTools tools={tools} runId={run.id} agentName={agentName} />
      {text === "" ? (
        (status === "thinking" || status === "responding") && waiting === undefined && <Dots />
      ) : (
        <MessageText content={text} isFromAgent />
      )}
      {!run.isConnected && <p className="text-sm text-thinking">The connection was lost. Reconnecting …</p>}
      {error !== null && (
        <p className="flex items-start gap-1.5 text-sm text-bad">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {toSentence(error.message)}
        </p>
      )}
    </MessageFrame>
  );
}

function TurnStatus({ turn }: { readonly turn: LiveTurn }) {
  const has = (waiting: LiveTool["status"]): boolean => turn.tools.some(({ status }) => status === waiting);
  if (has("pending_approval")) return <StatusBadge status="requires_action" word="Waiting for approval" />;
  if (has("pending_client")) return <StatusBadge status="requires_action" word="Waiting for the app" />;
  if (has("waiting")) return <StatusBadge status="waiting" />;
  return <StatusBadge status={turn.status} />;
}

function Dots() {
  return (
    <span aria-hidden className="flex h-5.5 items-center gap-1">
      {[0, 1, 2].map((index) => (
        <span
          key={index}
          className="size-1.5 animate-pulse-soft rounded-full bg-ink-faint"
          style={{ animationDelay: `${index * 0.2}s` }}
        />
      ))}
    </span>
  );
}
