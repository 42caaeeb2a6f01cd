import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type Ref, type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { ListItem } from "./list-items.ts";
import { ListItemView } from "./list-item-view.tsx";

export interface MessageListHandle {
  has(messageId: string): boolean;
  toMessage(messageId: string): void;
  toEnd(): void;
}

interface MessageListProps {
  readonly ref: Ref<MessageListHandle>;
  readonly items: readonly ListItem[];
  readonly highlighted: string | null;
  onJump(messageId: string): void;
  readonly hasOlder: boolean;
  onStartReached(): void;
}

const OVERSCAN = 6;
const SETTLE_MS = 300;
const ESTIMATED_HEIGHT = 84;
const LINE_HEIGHT = 22;
const CHARACTERS_PER_LINE = 95;
/** Within this distance in pixels the list counts as scrolled to the end. */
const NEAR_END = 80;

/**
 * A virtualized list that stays at its end while messages arrive. If the user has scrolled up, it keeps the position and shows the
 * number of new messages.
 */
export function MessageList({ ref, items, highlighted, onJump, hasOlder, onStartReached }: MessageListProps) {
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => estimateHeight(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: OVERSCAN,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
    paddingStart: 16,
    paddingEnd: 16,
  });
  const shown = virtualizer.getVirtualItems();
  const first = shown[0]?.index ?? -1;
  const isSettled = useSettledAtEnd(virtualizer);
  useEffect(() => {
    if (isSettled && hasOlder && first >= 0 && first <= OVERSCAN) onStartReached();
  }, [isSettled, first, hasOlder, onStartReached]);
  const { isAtEnd, unseen } = useUnseen(items, box, virtualizer.getTotalSize());

  useImperativeHandle(
    ref,
    () => ({
      has: (id) => items.some(({ key }) => key === id),
      toMessage: (id) => {
        const index = items.findIndex(({ key }) => key === id);
        if (index !== -1) virtualizer.scrollToIndex(index, { align: "center" });
      },
      toEnd: () => requestAnimationFrame(() => virtualizer.scrollToEnd()),
    }),
    [items, virtualizer],
  );
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        // what scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label="Messages"
        // Scrolling by the user cancels programmatic scrolling.
        onWheel={virtualizer.cancelScroll}
        onTouchMove={virtualizer.cancelScroll}
        onPointerDown={virtualizer.cancelScroll}
        onKeyDown={virtualizer.cancelScroll}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <div role="list" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const item = items[index];
            if (item === undefined) return null;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                role="listitem"
                aria-setsize={items.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <ListItemView item={item} isHighlighted={item.key === highlighted} onJump={onJump} />
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && <ToEnd unseen={unseen} onClick={() => virtualizer.scrollToEnd({ behavior: "smooth" })} />}
    </div>
  );
}

function ToEnd({ unseen, onClick }: { readonly unseen: number; onClick(): void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="absolute bottom-3 left-1/2 flex h-8 -translate-x-1/2 animate-rise items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 text-sm font-medium shadow-2 hover:bg-hover"
    >
      <ArrowDown className="size-3.5" aria-hidden />
      {unseen === 0 ? "Newest messages" : `${unseen} new ${unseen === 1 ? "message" : "messages"}`}
    </button>
  );
}

/** Scrolls to the end first. Until then a visible start of the list must not load older messages. */
function useSettledAtEnd(virtualizer: { scrollToEnd(): void }): boolean {
  const [isSettled, setSettled] = useState(false);
  useLayoutEffect(() => {
    virtualizer.scrollToEnd();
  }, [virtualizer]);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

/** Estimates the height of items that were not measured yet, for the scroll bar. */
function estimateHeight(item: ListItem | undefined): number {
  if (item?.kind !== "message") return ESTIMATED_HEIGHT;
  const { message, isContinued, isNewDay, isFirstUnread } = item;
  const text = message.content ?? "";
  const lines = Math.ceil(text.length / CHARACTERS_PER_LINE) + (text.match(/\n/g)?.length ?? 0);
  return (isContinued ? 8 : 44) + Math.max(1, lines) * LINE_HEIGHT + (isNewDay ? 46 : 0) + (isFirstUnread ? 36 : 0);
}

/** Counts the messages since the list was last at its end. */
function useUnseen(items: readonly ListItem[], box: RefObject<HTMLDivElement | null>, height: number) {
  const [isAtEnd, setAtEnd] = useState(true);
  const seen = useRef<string | null>(null);
  const lastKey = items.at(-1)?.key ?? null;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const update = () => setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END * 2);
    // The end also moves when the list grows.
    update();
    element.addEventListener("scroll", update, { passive: true });
    return () => element.removeEventListener("scroll", update);
  }, [box, height]);
  useEffect(() => {
    if (isAtEnd) seen.current = lastKey;
  }, [isAtEnd, lastKey]);
  const from = isAtEnd ? -1 : items.findLastIndex(({ key }) => key === seen.current);
  const unseen = from === -1 ? 0 : items.slice(from + 1).filter(isMessage).length;
  return { isAtEnd, unseen };
}

function isMessage({ kind }: ListItem): boolean {
  return kind === "message" || kind === "turn";
}
