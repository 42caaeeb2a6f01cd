/**
 * Why a run or one of its turns is broken off: the reason that its AbortSignal carries.
 *
 * cancelled, interrupted: somebody asked for it. timeout: the run's time is over. draining: this node stops. gone: the agent or
 * the swarm is no longer there to answer. removed: the starter of the run may no longer start runs in the
 * swarm. lost: the run is no longer ours, so nothing may be written any more.
 */
export type StopKind = "cancelled" | "interrupted" | "timeout" | "draining" | "gone" | "removed" | "lost";

export class RunStop extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`the run was broken off: ${kind}`);
    this.name = "RunStop";
    this.kind = kind;
  }
}

/** What an aborted signal says; null while nothing has stopped. */
export function stopOf(signal: AbortSignal): StopKind | null {
  if (!signal.aborted) return null;
  return signal.reason instanceof RunStop ? signal.reason.kind : "cancelled";
}
