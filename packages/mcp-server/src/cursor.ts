import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** Ids sort by time, so a list continues after the id of its last row. */
export const ID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
const ID = new RegExp(ID_PATTERN);

export const PAGE_SIZE = 50;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** The cursor of a list. Throws a protocol error for a text that is none. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor !== undefined && !isId(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor");
  return cursor;
}
