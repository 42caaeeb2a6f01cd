import { clsx } from "clsx";
import { Command } from "cmdk";
import { Check, ChevronsUpDown } from "lucide-react";
import { Popover as Primitive } from "radix-ui";
import { useEffect, useState } from "react";
import { EmptyOption } from "./empty-option.tsx";
import { useFieldLinks } from "./field.tsx";
import type { Choice } from "./select.tsx";
import { INPUT_STYLE } from "./text-input.tsx";
import { useDebounced } from "./use-debounced.ts";

interface ComboboxChoice extends Choice {
  /** A second, quieter line. */
  readonly hint?: string;
}

export interface ComboboxProps {
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly ComboboxChoice[];
  onChange(value: string): void;
  /** Whether a text that is not in the list can be chosen as well. */
  accepts?(text: string): boolean;
  /** Looks for choices beyond those that are passed. */
  onSearch?: ((text: string) => void) | undefined;
  /** In place of the style of a field. */
  readonly className?: string | undefined;
}

/** The others are found by their names. */
const MAX_SHOWN = 50;
const STYLE = clsx(
  "flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-base outline-none select-none",
  "data-[selected=true]:bg-hover data-[disabled=true]:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0",
);

/** A searchable list of choices: models, people, tools. */
export function Combobox({ label, value, choices, onChange, accepts, onSearch, className }: ComboboxProps) {
  const [isOpen, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const typed = search.trim();
  const settled = useDebounced(typed);
  useEffect(() => {
    onSearch?.(settled);
  }, [onSearch, settled]);
  const isTypedOffered = accepts?.(typed) === true && !choices.some((choice) => choice.value === typed);
  const offered = isTypedOffered ? [...choices, { value: typed, label: `Use ${typed}` }] : choices;
  const words = typed.toLowerCase().split(/\s+/);
  const matching = offered.filter(({ value: id, label: name, hint = "" }) => {
    const text = `${name} ${hint} ${id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <Primitive.Root
      open={isOpen}
      onOpenChange={(next) => {
        setSearch("");
        setOpen(next);
      }}
    >
      <Primitive.Trigger asChild>
        <button
          type="button"
          role="combobox"
          aria-expanded={isOpen}
          aria-label={label}
          {...useFieldLinks()}
          className={clsx(className ?? `${INPUT_STYLE} h-9`, "flex items-center justify-between gap-2 text-left")}
        >
          <span className={clsx("truncate", chosen === undefined && "text-ink-faint")}>
            {chosen?.label ?? "Choose …"}
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden />
        </button>
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-(--radix-popover-trigger-width) min-w-64 animate-rise rounded-lg border border-line bg-raised shadow-2 outline-none"
        >
          <Command label={label} loop shouldFilter={false}>
            <Command.Input
              value={search}
              onValueChange={setSearch}
              placeholder="Search …"
              className="h-10 w-full border-b border-line bg-transparent px-3 text-base outline-none placeholder:text-ink-faint"
            />
            <Command.List label={label} className="max-h-72 overflow-y-auto p-1">
              <Command.Empty>
                <EmptyOption className="px-3 py-6 text-center text-sm text-ink-faint">Nothing matches.</EmptyOption>
              </Command.Empty>
              {matching.slice(0, MAX_SHOWN).map((choice) => (
                <Option
                  key={choice.value}
                  choice={choice}
                  isChosen={choice.value === value}
                  onSelect={() => {
                    onChange(choice.value);
                    setSearch("");
                    setOpen(false);
                  }}
                />
              ))}
            </Command.List>
            {matching.length > MAX_SHOWN && (
              <p className="border-t border-line px-3 py-2 text-sm text-ink-faint">Search to find the others.</p>
            )}
          </Command>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

interface OptionProps {
  readonly choice: ComboboxChoice;
  readonly isChosen: boolean;
  onSelect(): void;
}

function Option({ choice, isChosen, onSelect }: OptionProps) {
  return (
    <Command.Item value={choice.value} disabled={choice.isDisabled === true} onSelect={onSelect} className={STYLE}>
      <span className="grid min-w-0 flex-1">
        <span className="truncate">{choice.label}</span>
        {choice.hint !== undefined && <span className="truncate text-sm text-ink-faint">{choice.hint}</span>}
      </span>
      {isChosen && <Check className="text-accent" aria-label="selected" />}
    </Command.Item>
  );
}
