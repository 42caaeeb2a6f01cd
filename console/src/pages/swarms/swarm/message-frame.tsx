import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Avatar } from "../../../components/avatar.tsx";
import { Badge } from "../../../components/badge.tsx";

export interface MessageFrameProps {
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
}

/** The common layout of messages: avatar, name and content. */
export function MessageFrame(props: MessageFrameProps) {
  const { name, seed, isAgent, isYou = false, isContinued = false, isHighlighted = false } = props;
  return (
    <div
      className={clsx(
        "group/message relative transition-colors duration-500 focus-within:bg-hover hover:bg-hover",
        isHighlighted && "bg-accent-soft",
      )}
    >
      <article
        aria-label={name}
        className={clsx("mx-auto max-w-3xl px-4 sm:px-6", isContinued ? "py-1" : "pt-3 pb-1.5")}
      >
        {props.above}
        <div className="grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3">
          {isContinued ? <span /> : <Avatar name={name} seed={seed} shape={isAgent ? "agent" : "person"} />}
          <div className="grid min-w-0 gap-1">
            {!isContinued && (
              <div
                className={clsx(
                  "flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5",
                  props.actions !== undefined && "pr-16",
                )}
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
        {props.actions !== undefined && (
          <div className="pointer-events-none absolute inset-x-0 top-1 mx-auto flex max-w-3xl justify-end px-4 sm:px-6">
            {props.actions}
          </div>
        )}
      </article>
    </div>
  );
}
