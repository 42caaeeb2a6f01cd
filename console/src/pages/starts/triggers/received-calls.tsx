import { RotateCcw } from "lucide-react";
import { type TriggerCall, useReplayCall, useTriggerCalls } from "../../../data/triggers.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Link } from "../../../components/link.tsx";
import { List } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { useToast } from "../../../components/toast.tsx";
import { describeCall } from "./labels.ts";

/** What other systems have sent, and what came of it. */
export function ReceivedCalls({ triggerId }: { readonly triggerId: string }) {
  const calls = useTriggerCalls(triggerId);
  return (
    <CardSection title="Received calls">
      <List noun="calls" pages={calls} empty={<p className="text-sm text-ink-faint">No call has been accepted.</p>}>
        {(rows, foot) => (
          <>
            <ul aria-label="Received calls" className="grid gap-3">
              {rows.map((call) => (
                <Call key={call.id} call={call} />
              ))}
            </ul>
            {foot}
          </>
        )}
      </List>
    </CardSection>
  );
}

function Call({ call }: { readonly call: TriggerCall }) {
  const { id, event_id: eventId, event_type: type, run_id: runId, error, created_at: at, replays, payload } = call;
  const { run, isBusy } = useReplayCall();
  const toast = useToast();
  const replay = async () => {
    const isStarted = (await run(id)) !== null;
    toast(isStarted ? { text: "A run is started with this payload." } : { text: "No run was started.", tone: "bad" });
  };
  return (
    <li className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusBadge {...describeCall(call)} />
        <span className="text-sm wrap-anywhere text-ink-soft">
          {replays === null ? (type ?? eventId) : `Replay of ${type ?? eventId}`}
        </span>
        {runId !== null && <Link to={`/runs/${runId}`}>Open the run</Link>}
        {error !== null && (
          <span className="text-sm wrap-anywhere text-bad">
            {[error.code, error.message].filter((word) => word !== undefined && word !== "").join(": ")}
          </span>
        )}
        <span className="ml-auto text-sm text-ink-faint">
          <RelativeTime at={at} />
        </span>
        <Button icon={<RotateCcw />} isBusy={isBusy} onClick={() => void replay()}>
          Replay
        </Button>
      </div>
      <JsonView label="Payload" value={payload} depth={0} />
    </li>
  );
}
