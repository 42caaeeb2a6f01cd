import { Tabs as Primitive } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";

export interface Tab<Value extends string = string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly Tab<Value>[];
  onChange(value: Value): void;
  /** The path of a tab that has its own, so that it can be opened in a new tab of the browser. */
  pathOf?(value: Value): string;
}

const TRIGGER =
  "-mb-px flex h-10 shrink-0 items-center gap-2 border-b-2 border-transparent px-3 text-base font-medium text-ink-soft -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink";

/** Renders only the open tab. Keep `value` in the URL if links to the tab are useful. */
export function Tabs<Value extends string>({ label, value, tabs, onChange, pathOf }: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  // The tabs scroll horizontally on a narrow screen.
  useEffect(() => {
    const open = list.current?.querySelector("[data-state=active]");
    open?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [value]);
  return (
    <Primitive.Root
      value={value}
      onValueChange={(next) => {
        const chosen = tabs.find((tab) => tab.value === next);
        if (chosen !== undefined) onChange(chosen.value);
      }}
    >
      <Primitive.List ref={list} aria-label={label} className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) =>
          pathOf === undefined ? (
            <Primitive.Trigger key={tab.value} value={tab.value} className={TRIGGER}>
              {tab.label}
            </Primitive.Trigger>
          ) : (
            <LinkTab key={tab.value} value={tab.value} to={pathOf(tab.value)}>
              {tab.label}
            </LinkTab>
          ),
        )}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.value} value={tab.value} className="outline-offset-4">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}

interface LinkTabProps {
  readonly value: string;
  readonly to: string;
  readonly children: ReactNode;
}

/** The tab opens when the button is pressed, so the click that follows matters only to the browser: with Ctrl or ⌘ it opens a new tab. */
function LinkTab({ value, to, children }: LinkTabProps) {
  return (
    <Primitive.Trigger
      value={value}
      asChild
      onMouseDown={(event) => {
        if (event.metaKey || event.shiftKey) event.preventDefault();
      }}
    >
      <Link
        to={to}
        className={TRIGGER}
        onClick={(event) => {
          if (!event.metaKey && !event.ctrlKey && !event.shiftKey) event.preventDefault();
        }}
      >
        {children}
      </Link>
    </Primitive.Trigger>
  );
}
