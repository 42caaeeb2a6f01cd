import { findRoom, MODULE_LAYERS } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import type { SourceFile } from "../source-file.ts";

const MAX_COMMENT_LINES = 5;

/** A room is entered through its index.ts, which says what the room is for; the room itself goes round its own door. */
export const checkEntryPoints: Rule = ({ sources }) => {
  const faults: Fault[] = [];
  const rooms = new Map<string, boolean>();
  for (const source of sources) {
    const room = findRoom(source.path);
    if (room === null) {
      faults.push(...(source.path.startsWith("server/test/") ? [] : findSideEntries(source, null)));
      continue;
    }
    const isEntryPoint = source.path === `server/src/${room}/index.ts`;
    rooms.set(room, isEntryPoint || rooms.get(room) === true);
    if (isEntryPoint) faults.push(...checkDoorplate(source));
    faults.push(...findSideEntries(source, room));
  }
  for (const [room, hasEntryPoint] of rooms) {
    if (!hasEntryPoint && Object.hasOwn(MODULE_LAYERS, room))
      faults.push({ path: `server/src/${room}`, line: 1, message: "the room has no door (index.ts)" });
  }
  return faults;
};

function findSideEntries(source: SourceFile, room: string | null): Fault[] {
  return source.imports.flatMap(({ target, line }) => {
    const targetRoom = target === null ? null : findRoom(target);
    if (target === null || targetRoom === null) return [];
    const isEntryPoint = target === `server/src/${targetRoom}/index.ts`;
    if (targetRoom === room)
      return isEntryPoint ? [{ path: source.path, line, message: "a room never imports its own index.ts" }] : [];
    return isEntryPoint
      ? []
      : [{ path: source.path, line, message: `${target} is behind the door of ${targetRoom}: import its index.ts` }];
  });
}

function checkDoorplate({ path, text }: SourceFile): Fault[] {
  const lines = text.split("\n");
  const length = lines.findIndex((line) => !line.startsWith("//"));
  const plate = lines.slice(0, length).join("\n");
  if (length === 0 || !/\bIn charge of\b/.test(plate) || !/\bNot in charge of\b/.test(plate))
    return [{ path, line: 1, message: 'a door opens with "// In charge of: …" and "// Not in charge of: …"' }];
  if (length > MAX_COMMENT_LINES)
    return [
      { path, line: 1, message: `the comment of a door has at most ${MAX_COMMENT_LINES} lines, this one ${length}` },
    ];
  return [];
}
