import { clsx } from "clsx";
import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import { flushSync } from "react-dom";
import type { Place } from "../../../data/swarm-agents.ts";
import { Avatar } from "../../../components/avatar.tsx";
import { findMention, type OpenMention, renderMention } from "./find-mention.ts";

export interface ComposerFieldProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  onChange(text: string): void;
  /** `isOther`: the other way than the one chosen, for who has thought better of it. */
  onSend(isOther: boolean): void;
  readonly places: readonly Place[];
  readonly placeholder: string;
}

const MOST_CHOICES = 8;

/** Enter sends, with Shift it is a new line, with Alt it is sent the other way. After "@" it offers names. */
export function ComposerField({ ref, text, onChange, onSend, places, placeholder }: ComposerFieldProps) {
  const id = useId();
  const [mention, setMention] = useState<OpenMention | null>(null);
  const [at, setAt] = useState(0);
  const choices = mention === null ? [] : findAgents(places, mention.typed);
  const look = (field: HTMLTextAreaElement) => {
    setMention(findMention(field.value, field.selectionStart));
    setAt(0);
  };
  const take = (name: string) => {
    const field = ref.current;
    if (mention === null || field === null) return;
    const head = `${text.slice(0, mention.start)}${renderMention(name)} `;
    const rest = text.slice(field.selectionStart);
    flushSync(() => {
      onChange(head + rest);
      setMention(null);
    });
    field.focus();
    field.setSelectionRange(head.length, head.length);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (choices.length > 0 && steer(event, { at, count: choices.length, setAt })) return;
    if (choices.length > 0 && (event.key === "Enter" || event.key === "Tab")) {
      event.preventDefault();
      take(choices[at]?.name ?? "");
    } else if (choices.length > 0 && event.key === "Escape") {
      event.preventDefault();
      setMention(null);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      onSend(event.altKey);
    }
  };
  return (
    <>
      <textarea
        ref={ref}
        aria-label="Message"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        {...(choices.length > 0 && { "aria-controls": `${id}-list`, "aria-activedescendant": `${id}-${at}` })}
        rows={1}
        value={text}
        placeholder={placeholder}
        enterKeyHint="send"
        onChange={({ target }) => {
          onChange(target.value);
          look(target);
        }}
        onClick={({ currentTarget }) => look(currentTarget)}
        onBlur={() => setMention(null)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-56 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none placeholder:text-ink-faint"
      />
      {choices.length > 0 && (
        <ul
          id={`${id}-list`}
          role="listbox"
          aria-label="Agents to mention"
          className="absolute bottom-full left-2 z-20 mb-2 max-h-72 w-72 max-w-[calc(100%-1rem)] animate-rise overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-2"
        >
          {choices.map(({ id: agentId, name, role }, index) => (
            <li
              key={agentId}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              onPointerEnter={() => setAt(index)}
              // before the field loses the focus, which would close the list
              onPointerDown={(event) => {
                event.preventDefault();
                take(name);
              }}
              className={clsx(
                "flex cursor-default items-center gap-2.5 rounded-md px-2 py-1.5",
                index === at && "bg-hover",
              )}
            >
              <Avatar name={name} seed={agentId} size="small" shape="agent" />
              <span className="truncate font-medium">{name}</span>
              {role !== null && <span className="truncate text-sm text-ink-faint">{role}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function steer(
  event: KeyboardEvent,
  { at, count, setAt }: { readonly at: number; readonly count: number; setAt(at: number): void },
): boolean {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return false;
  event.preventDefault();
  setAt((at + step + count) % count);
  return true;
}

function findAgents(places: readonly Place[], typed: string) {
  const wanted = typed.toLowerCase();
  return places
    .filter(({ enabled }) => enabled)
    .flatMap(({ agent_cards: card }) => (card === null ? [] : [card]))
    .filter(({ name }) => name.toLowerCase().includes(wanted) && name.toLowerCase() !== wanted)
    .slice(0, MOST_CHOICES);
}
