import { clsx } from "clsx";
import { Bot, ChevronRight, MessageSquare, MessagesSquare, Play, Unplug, User, Webhook, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { Tone } from "../../components/badge.tsx";
import { formatExact } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import type { Noun } from "./change-types.ts";
import type { DescribedChange } from "./describe-change.ts";
import type { Line } from "./filter.ts";

const ROW_HEIGHT = 45;

const ICONS: Readonly<Record<Noun, ReactNode>> = {
  message: <MessageSquare />,
  run: <Play />,
  tool: <Wrench />,
  agent: <Bot />,
  swarm: <MessagesSquare />,
  user: <User />,
  webhook: <Webhook />,
};
const TEXT_COLORS: Readonly<Record<Tone, string>> = {
  neutral: "text-ink-faint",
  accent: "text-accent",
  thinking: "text-thinking",
  responding: "text-responding",
  good: "text-good",
  bad: "text-bad",
};

interface ChangeListProps {
  readonly lines: readonly Line[];
  /** The keys of the expanded lines. */
  readonly open: ReadonlySet<string>;
  onOpen(open: ReadonlySet<string>): void;
}

/** One line per change, which expands to the row. */
export function ChangeList({ lines, open, onOpen }: ChangeListProps) {
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    onOpen(next);
  };
  return (
    <div className="overflow-clip rounded-lg border border-line bg-surface shadow-1">
      <VirtualList
        label="Events"
        rows={lines}
        keyOf={({ key }) => key}
        rowHeight={ROW_HEIGHT}
        renderRow={({ key, at, described, row }) =>
          described === null ? (
            <GapLine at={at} />
          ) : (
            <ChangeLine
              id={key}
              at={at}
              described={described}
              row={row}
              isOpen={open.has(key)}
              onToggle={() => toggle(key)}
            />
          )
        }
      />
    </div>
  );
}

function GapLine({ at }: { readonly at: string }) {
  return (
    <div className="flex items-center gap-3 border-b border-line bg-thinking-soft px-4 py-2.5 text-sm text-thinking">
      <Unplug className="size-4 shrink-0" aria-hidden />
      The connection was lost until {clock.format(Date.parse(at))}. Events may be missing below this line.
    </div>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

interface ChangeLineProps {
  readonly id: string;
  readonly at: string;
  readonly described: DescribedChange;
  readonly row: Line["row"];
  readonly isOpen: boolean;
  onToggle(): void;
}

function ChangeLine({ id, at, described, row, isOpen, onToggle }: ChangeLineProps) {
  const { noun, type, text, tone, to } = described;
  return (
    <div data-row className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={`${id}-row`}
        onClick={onToggle}
        className={clsx(
          "grid w-full grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 py-2.5 text-left -outline-offset-2 hover:bg-hover",
          "md:grid-cols-[1rem_5.5rem_12rem_minmax(0,1fr)_1rem]",
        )}
      >
        <span
          aria-hidden
          className={clsx(
            "row-span-2 self-start pt-0.5 md:row-span-1 md:self-center md:pt-0 [&_svg]:size-4",
            TEXT_COLORS[tone],
          )}
        >
          {ICONS[noun]}
        </span>
        <time
          dateTime={at}
          title={formatExact(at)}
          className="order-3 text-sm text-ink-faint tabular-nums md:order-none md:text-base"
        >
          {clock.format(Date.parse(at))}
        </time>
        <span
          className={clsx(
            "order-2 truncate font-mono text-sm md:order-none",
            TEXT_COLORS[tone],
            tone === "neutral" && "!text-ink-soft",
          )}
        >
          {type}
        </span>
        <span className="order-4 col-span-2 col-start-2 truncate text-ink-soft md:order-none md:col-span-1 md:col-start-auto md:text-ink">
          {text}
        </span>
        <ChevronRight
          aria-hidden
          className={clsx("hidden size-4 text-ink-faint transition-transform md:block", isOpen && "rotate-90")}
        />
      </button>
      {isOpen && (
        <div id={`${id}-row`} className="grid gap-3 px-4 pt-3 pb-4 md:pl-11">
          {to !== null && (
            <ButtonLink to={to} size="small" className="justify-self-start">
              Open
            </ButtonLink>
          )}
          <JsonView label={`${type}, the row`} value={row} depth={1} />
        </div>
      )}
    </div>
  );
}
