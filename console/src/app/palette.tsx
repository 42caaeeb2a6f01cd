import { Command as Menu } from "cmdk";
import { type LucideIcon, MessageSquare, Search, Send, Settings, User, UserCog } from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import { useMatch, useNavigate } from "react-router";
import { SEARCHED_DAYS, useSearch } from "../data/search.ts";
import type { Found } from "../data/search-apart.ts";
import { Button } from "../components/button.tsx";
import { type Command, useOfferedCommands } from "../components/commands.tsx";
import { EmptyOption } from "../components/empty-option.tsx";
import { Kbd } from "../components/kbd.tsx";
import { toPlainLine } from "../components/to-plain-line.ts";
import { useDebounced } from "../components/use-debounced.ts";
import { NAV_ITEMS } from "./nav-items.tsx";

/** Of the groups that are no page of the navigation. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  Settings,
  Users: UserCog,
  Deliveries: Send,
  People: User,
  Messages: MessageSquare,
};

function iconOf(kind: string): ReactNode {
  const Icon = NAV_ITEMS.find(({ label }) => label === kind)?.Icon ?? ICONS[kind] ?? Search;
  return <Icon />;
}

function isSaid(kind: string): boolean {
  return kind === "Runs" || kind === "Messages";
}

/** Finds commands and everything that the user may see, with the keyboard alone. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState("");
  const [selected, setSelected] = useState("");
  const { groups, isSearching, failure, searchOlder } = useMatches(text);
  const values = groups.flatMap(({ entries }) => entries.map(({ value }) => value));
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[12dvh] z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-xl border border-line bg-raised shadow-3 outline-none"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Menu
            label="Search"
            loop
            shouldFilter={false}
            // Results come later than the text, so the selected item can be gone.
            value={values.includes(selected) ? selected : (values[0] ?? "")}
            onValueChange={setSelected}
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search className="size-4.5 shrink-0 text-ink-faint" aria-hidden />
              <Menu.Input
                autoFocus
                value={text}
                onValueChange={(typed) => {
                  setText(typed);
                  setSelected("");
                }}
                placeholder="Search everything, or run a command"
                className="h-13 w-full bg-transparent text-lg outline-none placeholder:text-ink-faint"
              />
              <Kbd keys="Esc" />
            </div>
            {failure !== null && (
              <p role="alert" className="border-b border-line px-4 py-2.5 text-sm text-bad">
                Messages could not be searched. {failure}
              </p>
            )}
            <Menu.List label="Results" className="max-h-[52dvh] overflow-y-auto p-2">
              <Menu.Empty>
                <EmptyOption className="px-3 py-10 text-center text-ink-faint">
                  {isSearching ? "Searching …" : "Nothing matches. Names, ids and the words of messages are searched."}
                </EmptyOption>
              </Menu.Empty>
              {groups.map(({ heading, entries }) => (
                <Results key={entries[0]?.value} heading={heading} entries={entries} onClose={onClose} />
              ))}
            </Menu.List>
          </Menu>
          {/* Outside of the menu, which takes the Enter key for its selected item. */}
          {searchOlder !== null && (
            <div className="flex items-center justify-between gap-3 border-t border-line py-1.5 pr-2 pl-4 text-sm text-ink-faint">
              Messages of the last {SEARCHED_DAYS} days are searched.
              <Button size="small" variant="quiet" onClick={searchOlder}>
                Search older ones
              </Button>
            </div>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface Entry {
  readonly value: string;
  readonly icon: ReactNode;
  readonly title: ReactNode;
  readonly trailing: ReactNode;
  run(): void;
}

interface Group {
  readonly heading: string;
  readonly entries: readonly Entry[];
}

/** The entries under one heading. */
function Results({ heading, entries, onClose }: Group & { onClose(): void }) {
  return (
    <Menu.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-faint"
    >
      {entries.map(({ value, icon, title, trailing, run }) => (
        <Menu.Item
          key={value}
          value={value}
          onSelect={() => {
            onClose();
            run();
          }}
          className="flex h-10 cursor-default items-center gap-3 rounded-md px-2.5 text-base select-none data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent [&>svg]:size-4.5 [&>svg]:shrink-0"
        >
          {icon}
          <span dir="auto" className="flex-1 truncate text-start">
            {title}
          </span>
          {trailing}
        </Menu.Item>
      ))}
    </Menu.Group>
  );
}

/** The commands and rows that match the text, under their headings. */
function useMatches(text: string) {
  const settled = useDebounced(text.trim());
  const isSettled = settled === text.trim();
  const opened = useMatch("/swarms/:swarmId/*")?.params.swarmId ?? "new";
  const swarmId = opened === "new" ? null : opened;
  const [completeText, setCompleteText] = useState<string | null>(null);
  const isComplete = completeText === settled;
  const { here, found, isLoading, failure } = useSearch({ text: settled, swarmId, isComplete });
  const navigate = useNavigate();
  const commands = useMatchingCommands(text);
  // Results of an earlier text must not be opened by the key that ends the present one.
  const current = isSettled && settled !== "" ? found : [];
  const words = settled.split(/\s+/).filter(Boolean);
  const groupFound = (ones: readonly Found[], heading?: string) =>
    group(
      ones,
      ({ kind }) => heading ?? kind,
      ({ id, kind, title, detail, to }) => ({
        // A message can be in two groups.
        value: `${heading ?? kind} ${id}`,
        icon: iconOf(kind),
        title: mark(isSaid(kind) ? toPlainLine(title) : title, words),
        trailing: <span className="max-w-[45%] truncate text-sm text-ink-faint">{mark(detail, words)}</span>,
        run: () => void navigate(to),
      }),
    );
  // Names first: a name is usually meant, also if it occurs in messages.
  const results = [
    ...groupFound(current.filter(({ kind }) => !isSaid(kind))),
    ...groupFound(isSettled ? here : [], "In this conversation"),
    ...groupFound(current.filter(({ kind }) => isSaid(kind))),
  ];
  const offered = group(
    commands,
    (command) => command.group,
    ({ id, label, icon, keys, run }) => ({
      value: id,
      icon,
      title: label,
      run,
      trailing: keys !== undefined && <Kbd keys={keys} />,
    }),
  );
  // A row that has exactly this name or id is meant, rather than a command that contains it.
  const isExact = [...current, ...here].some(({ id, title }) =>
    [id, title.toLowerCase()].includes(settled.toLowerCase()),
  );
  return {
    groups: isExact ? [...results, ...offered] : [...offered, ...results],
    isSearching: isLoading || !isSettled,
    failure,
    /** Null means that all messages are searched. */
    searchOlder: settled === "" || isComplete ? null : () => setCompleteText(settled),
  };
}

function group<Row>(rows: readonly Row[], headingOf: (row: Row) => string, toEntry: (row: Row) => Entry): Group[] {
  return [...Map.groupBy(rows, headingOf)].map(([heading, ones]) => ({ heading, entries: ones.map(toEntry) }));
}

/** The commands with all words of the text. */
function useMatchingCommands(text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return useOfferedCommands().filter(({ label, group, keywords = [], isKeyOnly = false }) => {
    if (isKeyOnly) return false;
    const searched = [label, group, ...keywords].join(" ").toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** The text with the words of the search marked. */
function mark(text: string, words: readonly string[]): ReactNode {
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|");
  if (pattern === "") return text;
  return text.split(new RegExp(`(${pattern})`, "giu")).map((part, place) =>
    place % 2 === 1 ? (
      <mark key={place} className="rounded-xs bg-thinking-soft text-inherit">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}
