import { CalendarClock, Plus } from "lucide-react";
import { type Schedule, useSchedules } from "../../../data/schedules.ts";
import { Badge } from "../../../components/badge.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useListCommands } from "../../../components/use-list-commands.tsx";
import { EnabledSwitch } from "./enabled-switch.tsx";
import { nameTarget } from "../targeted/name-target.ts";
import { describeHold, describeOutcome, describeTimes } from "./labels.ts";

const COLUMNS: readonly Column<Schedule>[] = [
  { title: "Name", width: "2fr", narrow: "title", render: ({ name }) => <span className="font-medium">{name}</span> },
  { title: "For", width: "2fr", render: nameTarget },
  { title: "When", width: "2fr", render: describeTimes },
  { title: "Next run", width: "9rem", render: (row) => <NextRun row={row} /> },
  {
    title: "Last outcome",
    width: "8rem",
    render: ({ last_outcomes: [last] }) => (last === undefined ? "–" : <StatusBadge {...describeOutcome(last)} />),
  },
  { title: "On", width: "4rem", narrow: "trailing", render: (row) => <EnabledSwitch schedule={row} /> },
];

function NextRun({ row }: { readonly row: Schedule }) {
  const { paused_reason: reason, waiting, next_run_at: next } = row;
  if (reason !== null || waiting !== null)
    return (
      <span title={describeHold(row) ?? ""}>
        <Badge tone={reason === null ? "thinking" : "bad"}>{reason === null ? "Waiting" : "Paused"}</Badge>
      </span>
    );
  return next === null ? "–" : <RelativeTime at={next} />;
}

export function ScheduleList() {
  const filters = useFilters();
  const schedules = useSchedules(filters.debouncedSearch);
  useListCommands({
    path: "schedules",
    newLabel: "New schedule",
    group: "Schedules",
    icon: <CalendarClock />,
    rows: schedules.rows,
  });
  const add = (
    <ButtonLink to="/schedules/new" variant="primary" icon={<Plus />}>
      New schedule
    </ButtonLink>
  );
  return (
    <ListPage
      title="Schedules"
      description="Messages that are sent to agents and swarms at times that you set."
      actions={add}
      noun="schedules"
      one="schedule"
      noMatchHint="No schedule has this text in its name or message."
      filters={filters}
      searchLabel="Search by name or message"
      pages={schedules}
      empty={
        <EmptyState picture="search" title="No schedules yet" action={add}>
          A schedule asks an agent every morning, each Monday or once, with your rights and budgets at that time.
        </EmptyState>
      }
      table={{
        label: "Schedules",
        columns: COLUMNS,
        keyOf: ({ id }) => id,
        onOpen: { label: ({ name }) => `Open ${name}`, to: ({ id }) => `/schedules/${id}` },
      }}
    />
  );
}
