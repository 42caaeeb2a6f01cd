import { answerOf, type Exchange, isUnderWay } from "../../../data/playground-state.ts";
import { Banner } from "../../../components/banner.tsx";
import { formatCount } from "../../../components/formats.ts";
import { JsonView } from "../../../components/json-view.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { MessageScroller } from "../message-scroller.tsx";
import { ColumnHead, type ColumnHeadProps } from "./column-head.tsx";
import { ExchangeView, Totals } from "./exchange-view.tsx";

interface ColumnViewProps extends Omit<ColumnHeadProps, "isBusy"> {
  /** The exchanges of column A, with which those of this one are compared. */
  readonly compared: readonly Exchange[];
  onAskAgain(exchange: Exchange): void;
}

export function ColumnView(props: ColumnViewProps) {
  const { compared, onAskAgain, ...head } = props;
  const { letter, column, state } = head;
  const { exchanges, opening } = column;
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
          {opening !== null && (
            <details className="text-sm text-ink-soft">
              <summary>The prompt of a run: {formatCount(opening.messages.length)} messages</summary>
              <JsonView label="Messages" value={opening.messages} />
            </details>
          )}
          {exchanges.length === 0 ? (
            <p className="py-8 text-center text-ink-faint">The answers appear here.</p>
          ) : (
            <ol aria-label={`Messages of column ${letter}`} className="grid grid-cols-1 gap-5">
              {exchanges.map((exchange, place) => (
                <ExchangeView
                  key={exchange.id}
                  exchange={exchange}
                  before={findAnswer(compared, exchange, place)}
                  isFirst={exchange.kind === "case" || (place === 0 && opening === null)}
                  canAskAgain={place === exchanges.length - 1 && !isBusy}
                  onAskAgain={() => onAskAgain(exchange)}
                />
              ))}
            </ol>
          )}
        </MessageScroller>
      )}
      {exchanges.length > 1 && (
        <div className="border-t border-line px-4 py-2">
          <Totals label={`Column ${letter}`} exchanges={exchanges} />
        </div>
      )}
    </section>
  );
}

/** The answer in the same place, or otherwise the last one, to the same question. */
function findAnswer(exchanges: readonly Exchange[], { question }: Exchange, place: number): string | undefined {
  const isSame = (other: Exchange | undefined): other is Exchange => other?.question === question && !isUnderWay(other);
  const found = isSame(exchanges[place]) ? exchanges[place] : exchanges.findLast(isSame);
  return found === undefined ? undefined : answerOf(found);
}
