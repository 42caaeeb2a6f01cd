/**
 * Why a run or one of its turns is aborted: the reason of its AbortSignal.
 *
 * cancelled, interrupted: a caller requested it. timeout: the run's time is over. gone: the agent or the swarm was
 * deleted or disabled. removed: the starter of the run may no longer start runs in the swarm. lost: this node no longer holds the
 * run, so it must not write any more.
 */
export type StopKind = "cancelled" | "interrupted" | "timeout" | "gone" | "removed" | "lost";

export class RunStop extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`the run was aborted: ${kind}`);
    this.name = "RunStop";
    this.kind = kind;
  }
}

/** The reason of an aborted signal; null while it is not aborted. */
export function stopOf(signal: AbortSignal): StopKind | null {
  if (!signal.aborted) return null;
  return signal.reason instanceof RunStop ? signal.reason.kind : "cancelled";
}
