interface WaitingTurn {
  readonly agentName: string;
  readonly calls: readonly { readonly name: string; readonly status: string }[];
}

/** What a run waits for: "Ada is waiting for the approval of pay". Empty if no call waits. */
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
      ];
      return causes.length === 0 ? [] : [`${agentName} is waiting for ${causes.join(" and ")}`];
    })
    .join("; ");
}
