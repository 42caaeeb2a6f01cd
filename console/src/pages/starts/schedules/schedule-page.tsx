import { Play } from "lucide-react";
import { type Schedule, useDeleteSchedule, useRunNow, useSaveSchedule, useSchedule } from "../../../data/schedules.ts";
import { Button } from "../../../components/button.tsx";
import { DeleteMenu } from "../../../components/delete-menu.tsx";
import { Link } from "../../../components/link.tsx";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { EditTargeted } from "../targeted/edit-targeted.tsx";
import { nameTarget } from "../targeted/name-target.ts";
import { useToast } from "../../../components/toast.tsx";
import { SCHEDULE_FORM } from "./schedule-form.ts";
import { ScheduleState } from "./schedule-state.tsx";

const CRUMBS = [{ label: "Schedules", to: "/schedules" }];

export function SchedulePage({ id }: { readonly id: string }) {
  const read = useSchedule(id);
  if (read.rows === undefined) return <PageNotLoaded noun="schedule" read={read} />;
  return <Page schedule={read.rows} />;
}

function Page({ schedule }: { readonly schedule: Schedule }) {
  return (
    <>
      <PageHeader
        title={schedule.name}
        crumbs={CRUMBS}
        description={<Target schedule={schedule} />}
        actions={
          <>
            <DeleteMenu row={schedule} noun="schedule" remove={useDeleteSchedule()} listPath="/schedules">
              It starts no more runs. Its runs and conversations stay. This cannot be undone.
            </DeleteMenu>
            <RunNow id={schedule.id} />
          </>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        <ScheduleState schedule={schedule} />
        <EditTargeted kind={SCHEDULE_FORM} row={schedule} save={useSaveSchedule()} />
      </div>
    </>
  );
}

function RunNow({ id }: { readonly id: string }) {
  const { run, isBusy, failure } = useRunNow();
  const toast = useToast();
  const start = async () => {
    if ((await run(id)) !== null) toast({ text: "The run is started." });
  };
  return (
    <>
      <Button icon={<Play />} isBusy={isBusy} onClick={() => void start()}>
        Run now
      </Button>
      {failure !== null && (
        <p role="alert" className="basis-full text-sm text-bad">
          {failure.message}
        </p>
      )}
    </>
  );
}

function Target({ schedule }: { readonly schedule: Schedule }) {
  const { agent_id: agentId, swarm_id: swarmId, agents: agent } = schedule;
  const name = nameTarget(schedule);
  if (agentId === null) return <Link to={`/swarms/${swarmId}`}>{name}</Link>;
  return <Link to={agent === null ? `/for-you/${agentId}` : `/agents/${agentId}`}>{name}</Link>;
}
