/** Names after each other, such as `data.object.id`; the members of a list have numbers. `.` is the whole payload. */
const PATH = /^(?:\.|[\w$@:/-]{1,100}(?:\.[\w$@:/-]{1,100}){0,19})$/;

/** Follows the name of the column. */
export function findPathFault(path: string): string | null {
  return PATH.test(path) ? null : "must be names with dots between them, such as data.object.id";
}

/** The value at a path; undefined where there is none. Reads nothing that the payload has not brought. */
export function lookUp(payload: unknown, path: string): unknown {
  if (path === ".") return payload;
  let value = payload;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
