import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";

/** For JSON Schema. */
export const ID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

export const PAGE_SIZE = 50;

/** Ids sort by time, so the cursor of a list is the id of its last row. Throws a protocol error for a text that is none. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor !== undefined && !isUuid(cursor))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor");
  return cursor;
}
