import { Route, Routes } from "react-router";
import { OneRow } from "../../../components/one-row.tsx";
import { NewSchedule } from "./new-schedule.tsx";
import { ScheduleList } from "./schedule-list.tsx";
import { SchedulePage } from "./schedule-page.tsx";

export function SchedulesPage() {
  return (
    <Routes>
      <Route index element={<ScheduleList />} />
      <Route path="new" element={<NewSchedule />} />
      <Route path=":id" element={<OneRow page={SchedulePage} />} />
    </Routes>
  );
}
