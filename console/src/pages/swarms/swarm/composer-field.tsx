import { clsx } from "clsx";
import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import { flushSync } from "react-dom";
import type { SwarmAgent } from "../../../data/swarm-agents.ts";
import { Avatar } from "../../../components/avatar.tsx";

const MAX_LENGTH = 60;

interface ComposerFieldProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  onChange(text: string): void;
  /** `isOther`: sent with Alt, which inverts the choice of whether agents answer. */
  onSend(isOther: boolean): void;
  readonly swarmAgents: readonly SwarmAgent[];
  readonly placeholder: string;
}

const MAX_CHOICES = 8;

/** Enter sends, Shift-Enter inserts a line break, Alt-Enter inverts the choice of whether agents answer. "@" suggests names. */
export function ComposerField({ ref, text, onChange, onSend, swarmAgents, placeholder }: ComposerFieldProps) {
  const id = useId();
  const [mention, setMention] = useState<OpenMention | null>(null);
  const [activeIndex, setActiveIndex] = useState(0);
  const choices = mention === null ? [] : findAgents(swarmAgents, mention.typed);
  const updateMention = (field: HTMLTextAreaElement) => {
    setMention(findMention(field.value, field.selectionStart));
    setActiveIndex(0);
  };
  const insertMention = (name: string) => {
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
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (choices.length > 0 && step !== 0) {
      event.preventDefault();
      setActiveIndex((activeIndex + step + choices.length) % choices.length);
    } else if (choices.length > 0 && (event.key === "Enter" || event.key === "Tab")) {
      event.preventDefault();
      insertMention(choices[activeIndex]?.name ?? "");
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
        dir="auto"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        {...(choices.length > 0 && { "aria-controls": `${id}-list`, "aria-activedescendant": `${id}-${activeIndex}` })}
        rows={1}
        value={text}
        placeholder={placeholder}
        enterKeyHint="send"
        onChange={({ target }) => {
          onChange(target.value);
          updateMention(target);
        }}
        onClick={({ currentTarget }) => updateMention(currentTarget)}
        onBlur={() => setMention(null)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-56 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none placeholder:text-ink-faint"
      />
      {choices.length > 0 && (
        <MentionChoices
          id={id}
          choices={choices}
          activeIndex={activeIndex}
          onActivate={setActiveIndex}
          onChoose={insertMention}
        />
      )}
    </>
  );
}

interface MentionChoicesProps {
  /** The list and its options have ids that begin with it, which the field refers to. */
  readonly id: string;
  readonly choices: ReturnType<typeof findAgents>;
  readonly activeIndex: number;
  onActivate(index: number): void;
  onChoose(name: string): void;
}

function MentionChoices({ id, choices, activeIndex, onActivate, onChoose }: MentionChoicesProps) {
  return (
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
          aria-selected={index === activeIndex}
          onPointerEnter={() => onActivate(index)}
          // Runs before the field loses the focus, which closes the list.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(name);
          }}
          className={clsx(
            "flex cursor-default items-center gap-2.5 rounded-md px-2 py-1.5",
            index === activeIndex && "bg-hover",
          )}
        >
          <Avatar name={name} seed={agentId} size="small" shape="agent" />
          <span className="truncate font-medium">{name}</span>
          {role !== null && <span className="truncate text-sm text-ink-faint">{role}</span>}
        </li>
      ))}
    </ul>
  );
}

function findAgents(swarmAgents: readonly SwarmAgent[], typed: string) {
  const query = typed.toLowerCase();
  return swarmAgents
    .filter(({ enabled }) => enabled)
    .flatMap(({ agent_cards: card }) => (card === null ? [] : [card]))
    .filter(({ name }) => name.toLowerCase().includes(query) && name.toLowerCase() !== query)
    .slice(0, MAX_CHOICES);
}

/** A mention that is being typed. */
interface OpenMention {
  /** The index of the "@". */
  readonly start: number;
  readonly typed: string;
}

/** Finds the mention at the caret. An "@" inside a word, as in an e-mail address, does not start one. */
function findMention(text: string, caret: number): OpenMention | null {
  const before = text.slice(Math.max(0, caret - MAX_LENGTH), caret);
  const found = /(?:^|[\s([{"'])@"?([\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]*)?)$/u.exec(before);
  if (found === null) return null;
  const typed = found[1] ?? "";
  const start = text.lastIndexOf("@", caret - 1);
  return { start, typed };
}

/** The mention syntax of the service; quotes names with special characters. */
function renderMention(name: string): string {
  return /^[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)*$/u.test(name) ? `@${name}` : `@"${name}"`;
}
