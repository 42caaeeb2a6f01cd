import { clsx } from "clsx";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { Toast as Primitive } from "radix-ui";
import type { ShownNote } from "./toast-note.ts";

const SHORT_MS = 5_000;
/** Long enough to notice a mistake and undo it. */
const UNDO_MS = 10_000;
const MOST = 4;

export interface ToastListProps {
  readonly notes: readonly ShownNote[];
  onDrop(id: string): void;
}

export function ToastList({ notes, onDrop }: ToastListProps) {
  return (
    <Primitive.Provider swipeDirection="right" label="Notification">
      {notes.slice(-MOST).map(({ id, text, tone = "good", action }) => (
        <Primitive.Root
          key={id}
          duration={action === undefined ? SHORT_MS : UNDO_MS}
          onOpenChange={(open) => !open && onDrop(id)}
          className="flex animate-rise items-center gap-3 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 shadow-2"
        >
          {tone === "good" ? (
            <CircleCheck className="size-4.5 shrink-0 text-good" aria-hidden />
          ) : (
            <CircleAlert className="size-4.5 shrink-0 text-bad" aria-hidden />
          )}
          <Primitive.Description className="min-w-0 flex-1 py-1 text-base break-words">{text}</Primitive.Description>
          {action !== undefined && (
            <Primitive.Action
              altText={action.label}
              onClick={action.run}
              className="h-8 rounded-md px-2.5 text-base font-medium text-accent hover:bg-accent-soft"
            >
              {action.label}
            </Primitive.Action>
          )}
          <Primitive.Close
            aria-label="Dismiss"
            className="flex size-8 items-center justify-center rounded-md text-ink-faint hover:bg-hover"
          >
            <X className="size-4" aria-hidden />
          </Primitive.Close>
        </Primitive.Root>
      ))}
      <Primitive.Viewport
        className={clsx(
          "fixed right-0 bottom-16 z-[60] grid w-full max-w-[26rem] gap-2 p-3 outline-none sm:right-2 lg:bottom-2",
          // Above the buttons of a form.
          "[body:has([data-form-bar])_&]:bottom-29 lg:[body:has([data-form-bar])_&]:bottom-16",
        )}
      />
    </Primitive.Provider>
  );
}
