import type { LiveToolCall } from "@swarmbase/sdk";
import { formatExact } from "./formats.ts";

interface WaitingTurn {
  readonly agentName: string;
  readonly calls: readonly Pick<LiveToolCall, "name" | "status" | "wait" | "expiresAt">[];
}

/** What a run waits for: "Ada is waiting for the approval of pay", "for the signal paid until 3 May". Empty if no call waits. */
export function describeWaiting(turns: readonly WaitingTurn[]): string {
  return turns
    .flatMap(({ agentName, calls }) => {
      const names = (status: string): string =>
        calls
          .filter((call) => call.status === status)
          .map(({ name }) => name)
          .join(", ");
      const [approvals, ofApp] = [names("pending_approval"), names("pending_client")];
      const causes = [
        ...(approvals === "" ? [] : [`the approval of ${approvals}`]),
        ...(ofApp === "" ? [] : [`the app to run ${ofApp}`]),
        ...calls.flatMap((call) => (call.status === "waiting" ? [describeWait(call)] : [])),
      ];
      return causes.length === 0 ? [] : [`${agentName} is waiting for ${causes.join(" and ")}`];
    })
    .join("; ");
}

/** "3 May, 10:00", "the signal paid until 3 May, 10:00", "a sub-task". */
export function describeWait({ wait, expiresAt }: Pick<LiveToolCall, "wait" | "expiresAt">): string {
  if (wait?.kind === "sub_task") return "a sub-task";
  const time = expiresAt === null ? "a time" : formatExact(expiresAt);
  return wait?.kind === "event" ? `the signal ${wait.name ?? ""} until ${time}` : time;
}
