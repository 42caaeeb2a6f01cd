import { Route, Routes } from "react-router";
import { LoadedRow } from "../../../components/one-row.tsx";
import { useSchedule } from "../../../data/schedules.ts";
import { NewTargeted } from "../targeted/new-targeted.tsx";
import { SCHEDULE_FORM } from "./schedule-draft.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { ScheduleList } from "./schedule-list.tsx";
import { SchedulePage } from "./schedule-page.tsx";

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
