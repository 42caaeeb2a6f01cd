import { type FormEvent, type KeyboardEvent, useState } from "react";

/** Simulated agents call a tool when a line says so. With a model behind them, the first line is enough. */
const SUGGESTIONS = {
  "What is for lunch?": "What is for lunch?",
  "Order two salads": '@Buyer Please order two salads.\n/tool place_order {"item":"salad","quantity":2}',
};

interface Props {
  readonly isResponding: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function Composer({ isResponding, onSend, onStop }: Props) {
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
      <div className="suggestions">
        {Object.entries(SUGGESTIONS).map(([label, text]) => (
          <button key={label} onClick={() => onSend(text)}>
            {label}
          </button>
        ))}
      </div>
      <form onSubmit={submit}>
        <textarea
          aria-label="Message"
          placeholder="Message"
          rows={1}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={submitOnEnter}
        />
        {isResponding && (
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
