import { Play } from "lucide-react";
import { useState } from "react";
import { type Schedule, useDeleteSchedule, useRunNow, useSaveSchedule, useSchedule } from "../../data/schedules.ts";
import { Button } from "../../components/button.tsx";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { Link } from "../../components/link.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useToast } from "../../components/toast.tsx";
import { nameTarget } from "./labels.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { ScheduleState } from "./schedule-state.tsx";
import { useScheduleForm } from "./use-schedule-form.ts";

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
        <EditSchedule schedule={schedule} />
      </div>
    </>
  );
}

function EditSchedule({ schedule }: { readonly schedule: Schedule }) {
  // The form is filled from this row.
  const [base, setBase] = useState(schedule);
  const save = useSaveSchedule();
  const { form, change, reset, render, frame } = useScheduleForm(base, save);
  const toast = useToast();
  const fill = (row: Schedule) => {
    setBase(row);
    reset(row);
  };
  const finish = (saved: Schedule | null) => {
    if (saved === null) return;
    fill(saved);
    toast({ text: "Saved." });
  };
  const submit = () => {
    const draft = render();
    if (draft !== null) void save.run({ base, change: draft }).then(finish);
  };
  return (
    <FormFrame
      label="Edit the schedule"
      action="Save"
      cancel="Discard"
      needsChange
      {...frame}
      onSubmit={submit}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
        fill(schedule);
      }}
    >
      <ScheduleFields form={form} errors={frame.errors} isOfAgent={schedule.agent_id !== null} onChange={change} />
    </FormFrame>
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
