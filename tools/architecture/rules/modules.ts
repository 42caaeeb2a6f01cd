import { findRoom, JOINING_FILES, MODULE_LAYERS } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** Every folder of server/src is a room with a layer; beside the rooms stand only the files that join them. */
export const checkModules: Rule = ({ texts }) =>
  [...texts.keys()].flatMap((path) => {
    const room = findRoom(path);
    if (room !== null && !Object.hasOwn(MODULE_LAYERS, room))
      return [
        { path, line: 1, message: `"${room}" is not a known room: give it a layer in tools/architecture/modules.ts` },
      ];
    const isBesideRooms = room === null && path.startsWith("server/src/");
    if (isBesideRooms && !JOINING_FILES.includes(path.slice("server/src/".length)))
      return [{ path, line: 1, message: `only ${JOINING_FILES.join(" and ")} stand outside the rooms` }];
    return [];
  });
