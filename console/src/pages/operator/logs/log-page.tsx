import { useState } from "react";
import { LOG_LEVELS, type LogLine, useLogLines, useLogTail } from "../../../data/operator-observations.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Drawer } from "../../../components/drawer.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { Field } from "../../../components/field.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Link } from "../../../components/link.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Switch } from "../../../components/switch.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useAddress } from "../../../components/use-address.ts";
import { useAddressText } from "../../../components/use-address-text.ts";
import { useFilters } from "../../../components/use-filters.ts";
import { whenColumn } from "../../../components/when-column.tsx";

const TONES: Readonly<Record<LogLine["level"], Tone>> = {
  trace: "neutral",
  debug: "neutral",
  info: "neutral",
  warn: "thinking",
  error: "bad",
  fatal: "bad",
};

const LEVEL_CHOICES = LOG_LEVELS.map((value) => ({ value, label: `${value} and above` }));

const COLUMNS: readonly Column<LogLine>[] = [
  {
    title: "Level",
    width: "5rem",
    narrow: "trailing",
    text: ({ level }) => level,
    render: ({ level }) => <Badge tone={TONES[level]}>{level}</Badge>,
  },
  {
    title: "Message",
    width: "3fr",
    narrow: "title",
    render: ({ message, fields }) => `${message} ${summarize(fields)}`,
  },
  { title: "Event", width: "1.5fr", render: ({ event }) => event },
  whenColumn(),
];

/** What tells requests apart. */
function summarize({ method, path, status }: LogLine["fields"]): string {
  return [method, path, status].filter((part) => typeof part === "string" || typeof part === "number").join(" ");
}

export function LogPage() {
  const filters = useFilters();
  const level = filters.choice("level", LOG_LEVELS);
  const address = useAddress();
  const request = useAddressText(address, "request_id");
  const user = useAddressText(address, "user_id");
  const filter = {
    level,
    requestId: request.debounced.trim(),
    userId: user.debounced.trim(),
    search: filters.debouncedSearch,
    ...filters.range,
  };
  const [isTailing, setTailing] = useState(false);
  const [open, setOpen] = useState<LogLine | null>(null);
  const pages = useLogLines(filter);
  const tailed = useLogTail(filter, isTailing, pages.reload);
  const rows = pages.rows === undefined ? undefined : merge(tailed ?? [], pages.rows);
  return (
    <>
      <ListPage
        title="Logs"
        description="The log lines of all nodes, of at most the last 24 hours. ACCESS_LOG_ENABLED adds a line for every request."
        actions={
          <Field label="Live">
            <Switch isOn={isTailing} onChange={setTailing} />
          </Field>
        }
        noun="lines"
        one="line"
        noMatchHint="No line of this time has these words, this request or this user."
        filters={filters}
        searchLabel="Search the lines"
        hasTime
        choices={[{ name: "level", label: "Level", choices: LEVEL_CHOICES }]}
        tools={(
          [
            ["Request id", request],
            ["User id", user],
          ] as const
        ).map(([label, { text, setText }]) => (
          <TextInput
            key={label}
            aria-label={label}
            placeholder={label}
            className="sm:w-52"
            maxLength={200}
            {...typed(text, setText)}
          />
        ))}
        pages={{ ...pages, rows }}
        empty="Lines appear here about a second after they are written."
        table={{
          label: "Log lines",
          columns: COLUMNS,
          onOpen: { label: ({ message, id }) => `${message} ${id}`, open: (line) => setOpen(line) },
        }}
      />
      {open !== null && <LineDrawer line={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/** A page that is loaded again can have lines of the tail. */
function merge(tailed: readonly LogLine[], loaded: readonly LogLine[]): readonly LogLine[] {
  const known = new Set(loaded.map(({ id }) => id));
  return [...tailed.filter(({ id }) => !known.has(id)), ...loaded];
}

function LineDrawer({ line, onClose }: { readonly line: LogLine; onClose(): void }) {
  const { request_id: requestId, user_id: userId } = line;
  return (
    <Drawer isOpen onClose={onClose} title={line.message} description={`${line.event}, ${line.node}`}>
      <div className="grid gap-4">
        <p className="flex flex-wrap items-center gap-3">
          <Badge tone={TONES[line.level]}>{line.level}</Badge>
          <RelativeTime at={line.created_at} />
          {requestId !== null && (
            <Link to={`/operator/logs?request_id=${encodeURIComponent(requestId)}`}>Lines of this request</Link>
          )}
          {userId !== null && <Link to={`/operator/users/${encodeURIComponent(userId)}`}>The user</Link>}
        </p>
        <JsonView label="Fields" value={{ request_id: requestId, user_id: userId, ...line.fields }} />
      </div>
    </Drawer>
  );
}
