import { clsx } from "clsx";
import { type ReactNode, useEffect, useRef } from "react";

interface MessageScrollerProps {
  readonly label: string;
  /** Changes when text arrives. */
  readonly mark: string;
  /** Its maximum height, which leaves room for the rest of the page. */
  readonly className?: string;
  readonly children: ReactNode;
}

const TRY_HEIGHT = "max-h-[min(36rem,calc(100dvh-25rem))] lg:max-h-[min(36rem,calc(100dvh-23rem))]";

/** Stays at the end while text arrives, unless the user has scrolled up. */
export function MessageScroller({ label, mark, className = TRY_HEIGHT, children }: MessageScrollerProps) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [mark]);
  return (
    <div
      ref={box}
      // what scrolls must be reachable by keyboard
      tabIndex={0}
      role="log"
      aria-label={label}
      aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
      className={clsx(
        "grid min-h-56 content-start gap-4 overflow-y-auto px-4 py-5 -outline-offset-2 sm:px-5",
        className,
      )}
    >
      {children}
    </div>
  );
}
