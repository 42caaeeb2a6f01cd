import type { ScheduleOutcome } from "@swarmbase/sdk";
import type { Schedule } from "../../../data/schedules.ts";
import { CardSection } from "../../../components/card.tsx";
import { formatExact } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { EnabledSwitch } from "./enabled-switch.tsx";
import { describeHold, describeOutcome } from "./labels.ts";

/** When the schedule starts its next run, or why it does not, and what came of its last times. */
export function ScheduleState({ schedule }: { readonly schedule: Schedule }) {
  const { next_run_at: next, last_outcomes: outcomes } = schedule;
  const hold = describeHold(schedule);
  return (
    <CardSection
      title="Next run"
      description={hold ?? (next === null ? "It is being planned." : formatExact(next))}
      action={<EnabledSwitch schedule={schedule} />}
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
