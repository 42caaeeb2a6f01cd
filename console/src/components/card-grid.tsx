import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VirtualList } from "./virtual-list.tsx";

interface CardGridProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  renderCard(row: Row): ReactNode;
  /** Estimated height of a card, including the gap below it. */
  readonly cardHeight: number;
  onEndReached?(): void;
  readonly foot?: ReactNode;
}

const MIN_CARD_WIDTH = 270;
const GAP = 16;
const MAX_COLUMNS = 3;

/** A virtualized grid with as many columns as fit. */
export function CardGrid<Row>(props: CardGridProps<Row>) {
  const { label, rows, keyOf, renderCard, cardHeight, onEndReached, foot } = props;
  const box = useRef<HTMLDivElement>(null);
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const fit = (width: number) => setColumns(countColumns(width));
    fit(box.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => entry !== undefined && fit(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const lines = useMemo(
    () =>
      Array.from({ length: Math.ceil(rows.length / columns) }, (_, index) =>
        rows.slice(index * columns, (index + 1) * columns),
      ),
    [rows, columns],
  );
  return (
    <div ref={box}>
      <VirtualList
        label={label}
        rows={lines}
        keyOf={([first]) => (first === undefined ? "" : `${columns} ${keyOf(first)}`)}
        rowHeight={cardHeight}
        {...(onEndReached !== undefined && { onEndReached })}
        foot={foot}
        renderRow={(line) => (
          <div className="grid gap-4 pb-4" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
            {line.map((row) => (
              <div key={keyOf(row)} data-row className="grid min-w-0">
                {renderCard(row)}
              </div>
            ))}
          </div>
        )}
      />
    </div>
  );
}

function countColumns(width: number): number {
  return Math.min(MAX_COLUMNS, Math.max(1, Math.floor((width + GAP) / (MIN_CARD_WIDTH + GAP))));
}
