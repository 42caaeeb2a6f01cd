import { Route, Routes } from "react-router";
import { Badge } from "../../../components/badge.tsx";
import { switchActions } from "../../../components/bulk-bar.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { LoadedRow } from "../../../components/one-row.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useSelection } from "../../../components/use-selection.ts";
import { NAME_COLUMN } from "../../../components/when-column.tsx";
import { useBulk } from "../../../data/bulk.ts";
import { type Schedule, useSchedule, useSchedules } from "../../../data/schedules.ts";
import { EnabledSwitch } from "../targeted/enabled-switch.tsx";
import { nameTarget } from "../targeted/labels.ts";
import { NewTargeted } from "../targeted/new-targeted.tsx";
import { describeHold, describeOutcome, describeTimes } from "./labels.ts";
import { SCHEDULE_FORM } from "./schedule-draft.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { SchedulePage } from "./schedule-page.tsx";

const COLUMNS: readonly Column<Schedule>[] = [
  NAME_COLUMN,
  { title: "For", width: "2fr", render: nameTarget },
  { title: "When", width: "2fr", render: describeTimes },
  { title: "Next run", width: "9rem", render: (row) => <NextRun row={row} /> },
  {
    title: "Last outcome",
    width: "8rem",
    render: ({ last_outcomes: [last] }) => (last === undefined ? "–" : <StatusBadge {...describeOutcome(last)} />),
  },
  { title: "On", width: "4rem", narrow: "trailing", render: (row) => <EnabledSwitch table="schedules" row={row} /> },
];

const BULK_TEXTS = {
  on: "They run again at their next times.",
  off: "They do not run until they are activated.",
  remove: "Their runs stay. This cannot be undone.",
};

export function SchedulesPage() {
  return (
    <Routes>
      <Route index element={<ScheduleList />} />
      <Route
        path="new"
        element={<NewTargeted table="schedules" noun="schedule" kind={SCHEDULE_FORM} fields={ScheduleFields} />}
      />
      <Route path=":id" element={<LoadedRow noun="schedule" useRead={useSchedule} page={SchedulePage} />} />
    </Routes>
  );
}

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

function ScheduleList() {
  const filters = useFilters();
  const schedules = useSchedules(filters.debouncedSearch);
  const bulk = useBulk("schedules");
  const selection = useSelection(schedules.rows);
  return (
    <ListPage
      title="Schedules"
      description="Messages that are sent to agents and swarms at times that you set."
      named={{ path: "schedules" }}
      noun="schedules"
      one="schedule"
      noMatchHint="No schedule has this text in its name or message."
      filters={filters}
      searchLabel="Search by name or message"
      bulk={{ selection, actions: switchActions(bulk, "enabled", BULK_TEXTS) }}
      pages={schedules}
      empty="A schedule asks an agent every morning, each Monday or once, with your rights and budgets at that time."
      table={{ columns: COLUMNS }}
    />
  );
}
