import { Play } from "lucide-react";
import type { ScheduleOutcome } from "@swarmbase/sdk";
import { useDeleteRow } from "../../../data/changed-rows.ts";
import { type ScheduleDraft, type Schedule, useRunNow } from "../../../data/schedules.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
import { Button } from "../../../components/button.tsx";
import { DeleteMenu } from "../../../components/delete-menu.tsx";
import { Link } from "../../../components/link.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { EditRow } from "../../../components/row-form.tsx";
import { nameTarget } from "../targeted/labels.ts";
import { useToast } from "../../../components/toast.tsx";
import { CardSection } from "../../../components/card.tsx";
import { formatExact } from "../../../components/formats.ts";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { SCHEDULE_FORM } from "./schedule-draft.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { EnabledSwitch } from "../targeted/enabled-switch.tsx";
import { describeHold, describeOutcome } from "./labels.ts";

const CRUMBS = [{ label: "Schedules", to: "/schedules" }];

export function SchedulePage({ row: schedule }: { readonly row: Schedule }) {
  return (
    <>
      <PageHeader
        title={schedule.name}
        crumbs={CRUMBS}
        description={<Target schedule={schedule} />}
        actions={
          <>
            <DeleteMenu row={schedule} noun="schedule" remove={useDeleteRow("schedules")} listPath="/schedules">
              It starts no more runs. Its runs and conversations stay. This cannot be undone.
            </DeleteMenu>
            <RunNow id={schedule.id} />
          </>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        <ScheduleState schedule={schedule} />
        <EditRow
          kind={SCHEDULE_FORM}
          noun="schedule"
          row={schedule}
          save={useSaveEdit<Schedule, ScheduleDraft>("schedules")}
        >
          {(fields) => <ScheduleFields {...fields} isOfAgent={schedule.agent_id !== null} />}
        </EditRow>
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

/** When the schedule starts its next run, or why it does not, and what came of its last times. */
function ScheduleState({ schedule }: { readonly schedule: Schedule }) {
  const { next_run_at: next, last_outcomes: outcomes } = schedule;
  const hold = describeHold(schedule);
  return (
    <CardSection
      title="Next run"
      description={hold ?? (next === null ? "It is being planned." : formatExact(next))}
      action={<EnabledSwitch table="schedules" row={schedule} />}
    >
      <h3 className="mb-2 text-sm font-medium">Last outcomes</h3>
      {outcomes.length === 0 ? (
        <p className="text-sm text-ink-faint">None of its times has come.</p>
      ) : (
        <ul aria-label="Last outcomes" className="grid gap-2">
          {outcomes.map((outcome) => (
            <Outcome key={`${outcome.at} ${outcome.run_id ?? outcome.due_at}`} outcome={outcome} />
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function Outcome({ outcome }: { readonly outcome: ScheduleOutcome }) {
  const { due_at: due, at, run_id: runId, code, message } = outcome;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusBadge {...describeOutcome(outcome)} />
      <span className="text-sm text-ink-soft">{due === null ? "Started by hand" : `Due ${formatExact(due)}`}</span>
      {runId !== undefined && <Link to={`/runs/${runId}`}>Open the run</Link>}
      {code !== undefined && (
        <span className="text-sm wrap-anywhere text-bad">{message === undefined ? code : `${code}: ${message}`}</span>
      )}
      <span className="ml-auto text-sm text-ink-faint">
        <RelativeTime at={at} />
      </span>
    </li>
  );
}
