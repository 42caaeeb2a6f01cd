/** The page that the user requested before signing in. Accepts only paths of the console. */
export function readFrom(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state) || typeof state.from !== "string") return "/";
  return /^\/(?![/\\])/.test(state.from) ? state.from : "/";
}
