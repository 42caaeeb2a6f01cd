import { authError } from "../auth-error.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id out of a path. One that is no UUID names nothing, so it is not found rather than bad. */
export function getPathId(params: Readonly<Record<string, string>>, name: string, label: string): string {
  const id = params[name] ?? "";
  if (!isUuid(id)) throw authError("validation_failed", `${label} must be an UUID`, { status: 404 });
  return id.toLowerCase();
}
