import { CircleStop, TriangleAlert } from "lucide-react";
import { memo } from "react";
import type { LiveRun } from "../../../data/live-run.ts";
import { Link } from "../../../parts/link.tsx";
import { toSentence } from "../to-sentence.ts";
import { STOP_WORDS } from "../words.ts";
import type { ListItem } from "./list-items.ts";
import { LiveTurnView } from "./live-turn-view.tsx";
import { MessageView } from "./message-view.tsx";
import { PendingView } from "./pending-view.tsx";
import { useRoom } from "./room-context.ts";

export interface ListItemViewProps {
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
      return <RunEnd run={item.run} />;
  }
});

function Beginning() {
  const { swarm } = useRoom();
  return (
    <div className="mx-auto max-w-3xl px-4 pt-4 pb-2 sm:px-6">
      <p className="text-lg font-semibold">{swarm.name}</p>
      <p className="text-ink-soft">{swarm.description ?? "The conversation begins here."}</p>
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

/** Why a run is over, where it is not plain from what was said. */
function RunEnd({ run }: { readonly run: LiveRun }) {
  const { swarm } = useRoom();
  const { status, stopReason, errors, turns, id } = run;
  // What an agent failed with stands at its name already.
  const fault = turns.some(({ error }) => error !== null) ? undefined : errors[0];
  const isBad = status === "failed" || status === "partial";
  const Icon = isBad ? TriangleAlert : CircleStop;
  return (
    <div className="mx-auto max-w-3xl px-4 py-2 sm:px-6">
      <div className="flex items-start gap-2 pl-12 text-sm text-ink-soft">
        <Icon className={`mt-0.5 size-4 shrink-0 ${isBad ? "text-bad" : "text-ink-faint"}`} aria-hidden />
        <p className="min-w-0 text-pretty">
          {stopReason === null ? "The run has ended." : STOP_WORDS[stopReason]}
          {fault !== undefined && ` ${toSentence(fault.message)}`}{" "}
          <Link to={`/swarms/${swarm.id}/runs/${id}`}>See the run</Link>
        </p>
      </div>
    </div>
  );
}
