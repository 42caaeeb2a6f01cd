/** Where somebody was going before they were asked who they are. Only a path of the console is believed. */
export function readFrom(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state) || typeof state.from !== "string") return "/";
  return /^\/(?![/\\])/.test(state.from) ? state.from : "/";
}
