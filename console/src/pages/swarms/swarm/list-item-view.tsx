import { memo } from "react";
import { CircleStop, RotateCcw, TriangleAlert } from "lucide-react";
import { useUser } from "../../../data/session.ts";
import type { LiveRun, LiveTool, LiveTurn } from "../../../data/live-run.ts";
import { type Decider, useApprovals, useDecider } from "../../../data/approvals.ts";
import { useDecision } from "../../../data/runs.ts";
import { MessageText } from "../../../components/message-text.tsx";
import { Button } from "../../../components/button.tsx";
import { Link } from "../../../components/link.tsx";
import { STOP_LABELS } from "../../../components/run-labels.ts";
import { toSentence } from "../../../components/to-sentence.ts";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { ApprovalCard } from "../../../components/approval-card.tsx";
import { ToolLines } from "../../../components/tool-lines.tsx";
import type { ListItem, RunEnd } from "./list-items.ts";
import { MessageView } from "./message-view.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { MessageFrame } from "./message-frame.tsx";
import type { PendingMessage } from "./use-pending-messages.ts";
import { useMessageActions } from "./message-actions.tsx";

interface ListItemViewProps {
  readonly item: ListItem;
  readonly isHighlighted: boolean;
  onJump(messageId: string): void;
}

export const ListItemView = memo(function ListItemView({ item, isHighlighted, onJump }: ListItemViewProps) {
  switch (item.kind) {
    case "message":
      return (
        <>
          {item.isFirst && <Beginning />}
          {item.isNewDay && <Day at={item.message.created_at} />}
          {item.isFirstUnread && <NewMessages />}
          <MessageView
            message={item.message}
            isContinued={item.isContinued}
            isHighlighted={isHighlighted}
            onJump={onJump}
          />
        </>
      );
    case "pending":
      return <PendingView pending={item.pending} />;
    case "turn":
      return <LiveTurnView run={item.run} turn={item.turn} />;
    case "end":
      return <RunEndView end={item.end} />;
  }
});

function Beginning() {
  const { swarm } = useSwarmContext();
  return (
    <div className="mx-auto max-w-3xl px-4 pt-4 pb-2 sm:px-6">
      <p className="text-lg font-semibold">{swarm.name}</p>
      <p className="text-ink-soft">{swarm.description ?? "The conversation begins here."}</p>
    </div>
  );
}

function NewMessages() {
  return (
    <div className="mx-auto flex max-w-3xl items-center gap-3 px-4 py-2 text-sm font-medium text-accent sm:px-6">
      <span aria-hidden className="h-px flex-1 bg-accent" />
      New messages
    </div>
  );
}

const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

function Day({ at }: { readonly at: string }) {
  return (
    <div className="mx-auto flex max-w-3xl items-center gap-3 px-4 py-3 text-sm font-medium text-ink-faint sm:px-6">
      <span aria-hidden className="h-px flex-1 bg-line" />
      {day.format(Date.parse(at))}
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}

/** A message that is being sent. */
function PendingView({ pending }: { readonly pending: PendingMessage }) {
  const user = useUser();
  const fullName: unknown = user.user_metadata["full_name"];
  const name = typeof fullName === "string" && fullName !== "" ? fullName : (user.email ?? "You");
  return (
    <MessageFrame name={name} seed={user.id} isAgent={false} isYou trailing="sending …">
      <div className="opacity-70">
        <MessageText content={pending.content} />
      </div>
    </MessageFrame>
  );
}

/** Why a run ended before all agents had replied, with a button to ask again. */
function RunEndView({ end }: { readonly end: RunEnd }) {
  const { swarm, rights } = useSwarmContext();
  const { askAgain } = useMessageActions();
  const { runId, status, stopReason, errorMessages, hasQuestion } = end;
  const isBad = status === "failed" || status === "partial";
  const Icon = isBad ? TriangleAlert : CircleStop;
  const reason = stopReason === null ? "The run has ended." : STOP_LABELS[stopReason];
  return (
    <div className="mx-auto max-w-3xl px-4 py-2 sm:px-6">
      <div className="flex items-start gap-2 pl-12 text-sm text-ink-soft">
        <Icon className={`mt-0.5 size-4 shrink-0 ${isBad ? "text-bad" : "text-ink-faint"}`} aria-hidden />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
          <p className="min-w-0 text-pretty wrap-anywhere">
            {[reason, ...errorMessages.map(toSentence)].join(" ")} <Link to={`/runs/${runId}`}>View run</Link>
          </p>
          {hasQuestion && rights.canWrite && swarm.status === "active" && (
            <Button size="small" icon={<RotateCcw />} onClick={() => askAgain(runId)}>
              Ask again
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

/** A turn in progress. */
function LiveTurnView({ run, turn }: { readonly run: LiveRun; readonly turn: LiveTurn }) {
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

interface OfTurn {
  readonly runId: string;
  readonly agentName: string;
}

/** The tool calls of a turn: those that wait for a decision apart from the others. */
function TurnTools({ tools, ...turn }: OfTurn & { readonly tools: readonly LiveTool[] }) {
  const asking = tools.filter(({ status }) => status === "pending_approval");
  return (
    <>
      <ToolLines tools={tools.filter((tool) => !asking.includes(tool))} />
      {asking.map((tool) => (
        // A call can ask again, and each question is a form of its own.
        <WaitingTool key={[tool.id, tool.question?.id, tool.expiresAt].join(" ")} tool={tool} {...turn} />
      ))}
    </>
  );
}

function WaitingTool({ runId, tool, agentName }: OfTurn & { readonly tool: LiveTool }) {
  const { id, name, expiresAt } = tool;
  const { rows: approvals } = useApprovals();
  const mine = approvals?.find((approval) => approval.id === id);
  const decider = useDecider(id, approvals !== undefined && mine === undefined);
  const decision = useDecision({ runId, toolExecutionId: id });
  return (
    <ApprovalCard
      toolName={name}
      agentName={agentName}
      expiresAt={expiresAt}
      // The stream of a run shows all people the same, so it may lack what only the one who decides may see.
      input={mine?.input ?? tool.input}
      question={mine?.question ?? tool.question}
      decision={mine === undefined ? null : decision}
      decider={describeDecider(decider, agentName)}
    />
  );
}

function describeDecider(decider: Decider, agentName: string): string {
  if (decider.kind === "asker") return `${decider.name}, who asked,`;
  return decider.kind === "owner" ? `The owner of ${agentName}` : "Somebody else";
}
