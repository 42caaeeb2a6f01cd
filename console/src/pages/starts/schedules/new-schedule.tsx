import { useCreateSchedule } from "../../../data/schedules.ts";
import { NewTargeted } from "../targeted/new-targeted.tsx";
import { SCHEDULE_FORM } from "./schedule-form.ts";

export function NewSchedule() {
  return <NewTargeted kind={SCHEDULE_FORM} listTitle="Schedules" create={useCreateSchedule()} />;
}
