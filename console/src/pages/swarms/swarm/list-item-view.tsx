import { memo } from "react";
import type { ListItem } from "./list-items.ts";
import { LiveTurnView } from "./live-turn-view.tsx";
import { MessageView } from "./message-view.tsx";
import { PendingView } from "./pending-view.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { RunEndView } from "./run-end-view.tsx";

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
