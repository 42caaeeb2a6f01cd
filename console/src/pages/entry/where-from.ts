/** The page that the user requested before signing in. Accepts only paths of the console. */
export function readFrom(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state) || typeof state.from !== "string") return "/";
  return /^\/(?![/\\])/.test(state.from) ? state.from : "/";
}

const KEPT = "swarmbase.from";

/** Keeps the requested page of this tab while the browser is at a provider. */
export function keepFrom(from: string): void {
  sessionStorage.setItem(KEPT, from);
}

export function readKeptFrom(): string {
  return readFrom({ from: sessionStorage.getItem(KEPT) });
}
