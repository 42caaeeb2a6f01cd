import { findRoom, JOINING_FILES, ROOM_LAYERS } from "../house.ts";
import type { Rule } from "../rule.ts";

/** Every folder of server/src is a room with a layer; beside the rooms stand only the files that join them. */
export const checkRooms: Rule = ({ texts }) =>
  [...texts.keys()].flatMap((path) => {
    const room = findRoom(path);
    if (room !== null && !Object.hasOwn(ROOM_LAYERS, room))
      return [
        { path, line: 1, message: `"${room}" is not a known room: give it a layer in tools/architecture/house.ts` },
      ];
    const isBesideRooms = room === null && path.startsWith("server/src/");
    if (isBesideRooms && !JOINING_FILES.includes(path.slice("server/src/".length)))
      return [{ path, line: 1, message: `only ${JOINING_FILES.join(" and ")} stand outside the rooms` }];
    return [];
  });
