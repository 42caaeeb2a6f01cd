import { type FormEvent, type KeyboardEvent, useState } from "react";

interface Props {
  readonly onSend: (text: string) => void;
  /** Ends the answer that is being written, if there is one. */
  readonly onStop?: (() => void) | undefined;
}

export function Composer({ onSend, onStop }: Props) {
  const [draft, setDraft] = useState("");
  const isEmpty = draft.trim() === "";

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isEmpty) return;
    onSend(draft);
    setDraft("");
  }

  function submitOnEnter(event: KeyboardEvent) {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  }

  return (
    <footer>
      <form onSubmit={submit}>
        <textarea
          aria-label="Message"
          placeholder="Message"
          rows={1}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={submitOnEnter}
        />
        {onStop !== undefined && (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        )}
        <button className="primary" disabled={isEmpty}>
          Send
        </button>
      </form>
    </footer>
  );
}
