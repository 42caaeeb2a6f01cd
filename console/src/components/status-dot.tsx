import { clsx } from "clsx";
import { Badge, type Tone } from "./badge.tsx";

/** The colour and label of every status. */
const STATUSES = {
  idle: { tone: "neutral", word: "Idle", isMoving: false },
  thinking: { tone: "thinking", word: "Thinking", isMoving: true },
  responding: { tone: "responding", word: "Responding", isMoving: true },
  error: { tone: "bad", word: "Error", isMoving: false },
  pending: { tone: "neutral", word: "Pending", isMoving: true },
  retrying: { tone: "thinking", word: "Retrying", isMoving: false },
  delivered: { tone: "good", word: "Delivered", isMoving: false },
  failed: { tone: "bad", word: "Failed", isMoving: false },
  queued: { tone: "neutral", word: "Queued", isMoving: true },
  waiting: { tone: "thinking", word: "Waiting", isMoving: false },
  running: { tone: "responding", word: "Running", isMoving: true },
  requires_action: { tone: "thinking", word: "Action required", isMoving: false },
  completed: { tone: "good", word: "Completed", isMoving: false },
  partial: { tone: "thinking", word: "Partial", isMoving: false },
  cancelled: { tone: "neutral", word: "Cancelled", isMoving: false },
  active: { tone: "good", word: "Active", isMoving: false },
  inactive: { tone: "neutral", word: "Off", isMoving: false },
  disabled: { tone: "bad", word: "Disabled", isMoving: false },
  invited: { tone: "thinking", word: "Invited", isMoving: false },
  archived: { tone: "neutral", word: "Archived", isMoving: false },
} as const satisfies Record<string, { tone: Tone; word: string; isMoving: boolean }>;

export type Status = keyof typeof STATUSES;

export const TONE_BACKGROUNDS: Readonly<Record<Tone, string>> = {
  neutral: "bg-idle",
  accent: "bg-accent",
  thinking: "bg-thinking",
  responding: "bg-responding",
  good: "bg-good",
  bad: "bg-bad",
};

export function toneOf(status: Status): Tone {
  return STATUSES[status].tone;
}

export function isStatus(text: string): text is Status {
  return Object.hasOwn(STATUSES, text);
}

/** A coloured dot. Pass `label` when no text beside it names the status. */
export function StatusDot({ status, label }: { readonly status: Status; readonly label?: string }) {
  const { tone, isMoving } = STATUSES[status];
  return (
    <span
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
      className={clsx(
        "inline-block size-2 shrink-0 rounded-full",
        TONE_BACKGROUNDS[tone],
        isMoving && "animate-pulse-soft",
      )}
    />
  );
}

/** A dot and a label; `word` replaces the default label. */
export function StatusBadge({ status, word }: { readonly status: Status; readonly word?: string }) {
  return (
    <Badge tone={STATUSES[status].tone}>
      <StatusDot status={status} />
      {word ?? STATUSES[status].word}
    </Badge>
  );
}
