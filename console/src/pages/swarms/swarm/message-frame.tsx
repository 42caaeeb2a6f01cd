import { clsx } from "clsx";
import { type PointerEvent, type ReactNode, useRef } from "react";
import { Avatar } from "../../../components/avatar.tsx";
import { Badge } from "../../../components/badge.tsx";

interface MessageFrameProps {
  readonly name: string;
  readonly seed: string;
  readonly isAgent: boolean;
  readonly isYou?: boolean;
  /** The previous message has the same sender: omits avatar and name. */
  readonly isContinued?: boolean;
  readonly isHighlighted?: boolean;
  /** After the name: a time, a status. */
  readonly trailing?: ReactNode;
  /** Above the name: the quoted message. */
  readonly above?: ReactNode;
  readonly children: ReactNode;
  /** Buttons in the top right corner. */
  readonly actions?: ReactNode;
  /** On a touch screen, in place of the buttons. */
  onLongPress?(): void;
}

/** Keeps the first line of a message beside its buttons, which touch screens do not show. */
const BESIDE_ACTIONS = "pr-16 pointer-coarse:pr-0";
const LONG_PRESS_MS = 500;
/** Where a long press selects text or opens the menu of the browser. */
const OWN_PRESS = "a, button, summary, pre, textarea";

/** The common layout of messages: avatar, name and content. */
export function MessageFrame(props: MessageFrameProps) {
  const { name, seed, isAgent, isYou = false, isContinued = false, isHighlighted = false } = props;
  const { actions, onLongPress } = props;
  const hasActions = actions !== undefined && actions !== false;
  const timer = useRef(0);
  const stop = () => clearTimeout(timer.current);
  const press = {
    onPointerDown: ({ pointerType, target }: PointerEvent) => {
      stop();
      if (pointerType === "touch" && onLongPress !== undefined && (target as Element).closest(OWN_PRESS) === null)
        timer.current = window.setTimeout(onLongPress, LONG_PRESS_MS);
    },
    onPointerUp: stop,
    // It is a scroll.
    onPointerCancel: stop,
  };
  return (
    <div
      {...(hasActions && press)}
      className={clsx(
        "group/message relative pointer-coarse:select-none pointer-coarse:[-webkit-touch-callout:none] [&_pre]:select-text transition-colors duration-500 focus-within:bg-hover hover:bg-hover",
        isHighlighted && "bg-accent-soft",
      )}
    >
      <article
        aria-label={name}
        className={clsx("mx-auto max-w-3xl px-4 sm:px-6", isContinued ? "py-1" : "pt-3 pb-1.5")}
      >
        <div className={clsx(hasActions && BESIDE_ACTIONS)}>{props.above}</div>
        <div className="grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3">
          {isContinued ? <span /> : <Avatar name={name} seed={seed} shape={isAgent ? "agent" : "person"} />}
          <div className={clsx("grid min-w-0 gap-1", isContinued && hasActions && BESIDE_ACTIONS)}>
            {!isContinued && (
              <div
                className={clsx("flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5", hasActions && BESIDE_ACTIONS)}
              >
                <span className="truncate font-semibold">{name}</span>
                {isAgent && <Badge tone="accent">Agent</Badge>}
                <span className="text-sm text-ink-faint">
                  {isYou && "you · "}
                  {props.trailing}
                </span>
              </div>
            )}
            {props.children}
          </div>
        </div>
        {hasActions && (
          <div className="pointer-events-none absolute inset-x-0 top-1 mx-auto flex max-w-3xl justify-end px-4 sm:px-6">
            {actions}
          </div>
        )}
      </article>
    </div>
  );
}
