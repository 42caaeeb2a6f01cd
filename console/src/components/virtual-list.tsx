import { useWindowVirtualizer, useVirtualizer, type VirtualItem, type Virtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  renderRow(row: Row, index: number): ReactNode;
  /** Estimated row height; the real height is measured. */
  readonly rowHeight: number;
  /** Called when the last rows become visible. */
  onEndReached?(): void;
  /** Shown below the last row. */
  readonly foot?: ReactNode;
  /** The height of the scroll container, as a CSS length. Without it the list scrolls with the page. */
  readonly height?: string;
}

const OVERSCAN = 8;

/** Renders only the visible rows. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  return props.height === undefined ? <PageList {...props} /> : <BoxList {...props} height={props.height} />;
}

function PageList<Row>(props: VirtualListProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({ ...optionsOf(props), scrollMargin: offset });
  return (
    <div ref={list}>
      <Rows {...props} virtualizer={virtualizer} offset={offset} />
    </div>
  );
}

function BoxList<Row>(props: VirtualListProps<Row> & { readonly height: string }) {
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({ ...optionsOf(props), getScrollElement: () => box.current });
  return (
    // Scrollable regions must be focusable by keyboard.
    <div ref={box} tabIndex={0} className="overflow-y-auto" style={{ height: props.height }}>
      <Rows {...props} virtualizer={virtualizer} offset={0} />
    </div>
  );
}

function optionsOf<Row>({ rows, keyOf, rowHeight }: VirtualListProps<Row>) {
  return {
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    getItemKey: (index: number) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
  };
}

interface RowsProps<Row, Scroller extends Element | Window> extends VirtualListProps<Row> {
  readonly virtualizer: Virtualizer<Scroller, Element>;
  readonly offset: number;
}

function Rows<Row, Scroller extends Element | Window>(props: RowsProps<Row, Scroller>) {
  const { label, rows, renderRow, onEndReached, foot, virtualizer, offset } = props;
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - OVERSCAN) onEndReached?.();
  }, [last, rows.length, onEndReached]);
  return (
    <>
      <div role="list" aria-label={label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {shown.map((item: VirtualItem) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              role="listitem"
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start - offset}px)` }}
            >
              {renderRow(row, item.index)}
            </div>
          );
        })}
      </div>
      {foot}
    </>
  );
}
