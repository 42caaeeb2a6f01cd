import { ArrowUp, Square } from "lucide-react";
import { useDraft } from "../../data/drafts.ts";
import { Button } from "../../components/button.tsx";
import { Kbd } from "../../components/kbd.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { typed } from "../../components/typed.ts";

interface TryComposerProps {
  readonly name: string;
  /** Where its draft belongs. */
  readonly place: string;
  readonly isBusy: boolean;
  /** Resolves to false when the message was rejected; the text then stays in the field. */
  onSend(text: string): Promise<boolean>;
  /** Stops the current reply. */
  readonly onStop?: (() => void) | undefined;
  readonly stopLabel?: string;
}

export function TryComposer({ name, place, isBusy, onSend, onStop, stopLabel = "Stop" }: TryComposerProps) {
  const { text, clientMessageId, setText, clear, restore } = useDraft(place);
  const send = async () => {
    if (text.trim() === "" || isBusy) return;
    clear();
    if (!(await onSend(text))) restore(text, clientMessageId);
  };
  return (
    <form
      className="flex items-end gap-2 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="grid min-w-0 flex-1 gap-1.5">
        <TextArea
          aria-label={`Message to ${name}`}
          placeholder={`Message to ${name}`}
          rows={2}
          className="max-h-48"
          {...typed(text, setText)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <p className="hidden items-center gap-1.5 text-xs text-ink-faint sm:flex">
          <Kbd keys="Enter" /> sends, <Kbd keys="Shift Enter" /> inserts a line break
        </p>
      </div>
      {onStop === undefined ? (
        <Button type="submit" variant="primary" icon={<ArrowUp />} isBusy={isBusy} className="sm:mb-6.5">
          Send
        </Button>
      ) : (
        <Button icon={<Square className="fill-current" />} onClick={onStop} className="sm:mb-6.5">
          {stopLabel}
        </Button>
      )}
    </form>
  );
}
