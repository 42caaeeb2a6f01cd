import { isUnderWay } from "../../../data/playground-state.ts";
import { Banner } from "../../../components/banner.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { MessageScroller } from "../message-scroller.tsx";
import { ColumnHead, type ColumnHeadProps } from "./column-head.tsx";
import { ExchangeView } from "./exchange-view.tsx";

export interface ColumnViewProps extends Omit<ColumnHeadProps, "isBusy"> {
  onAskAgain(question: string, replacedId: string): void;
}

export function ColumnView(props: ColumnViewProps) {
  const { onAskAgain, ...head } = props;
  const { letter, column, state } = head;
  const { exchanges } = column;
  const isBusy = exchanges.some(isUnderWay);
  return (
    <section
      aria-label={`Column ${letter}`}
      className="flex w-[85vw] shrink-0 snap-center flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-1 sm:w-auto sm:min-w-80 sm:flex-1 sm:snap-start"
    >
      <ColumnHead {...head} isBusy={isBusy} />
      {state.kind === "loading" && <Skeleton className="m-4 h-40" />}
      {state.kind === "gone" && (
        <div className="p-4">
          <Banner tone="warning">This agent or version no longer exists. Choose another one.</Banner>
        </div>
      )}
      {state.kind === "ready" && (
        <MessageScroller
          label={`Conversation ${letter}`}
          className="max-h-[min(40rem,calc(100dvh-26rem))]"
          mark={exchanges.map(({ run }) => run?.lastEventId ?? 0).join()}
        >
          {exchanges.length === 0 ? (
            <p className="py-8 text-center text-ink-faint">The answers appear here.</p>
          ) : (
            <ol aria-label={`Messages of column ${letter}`} className="grid grid-cols-1 gap-5">
              {exchanges.map((exchange, place) => (
                <ExchangeView
                  key={exchange.id}
                  exchange={exchange}
                  isFirst={place === 0}
                  canAskAgain={place === exchanges.length - 1 && !isBusy}
                  onAskAgain={() => onAskAgain(exchange.question, exchange.id)}
                />
              ))}
            </ol>
          )}
        </MessageScroller>
      )}
    </section>
  );
}
