import { createContext, useContext } from "react";
import type { Member } from "../../../data/members.ts";
import type { Pages, Reading } from "../../../data/rows.ts";
import type { Place } from "../../../data/swarm-agents.ts";
import type { Rights, Swarm } from "../../../data/swarms.ts";

/** What everything inside a room needs to know of it. */
export interface RoomDetails {
  readonly swarm: Swarm;
  readonly rights: Rights;
  readonly userId: string;
  readonly places: Reading<readonly Place[]>;
  readonly members: Pages<Member>;
  /** Ids of users who are here now. */
  readonly present: ReadonlySet<string>;
  /** Whether the list of who is here lies over the conversation, where it does not fit beside it. */
  readonly isPanelOpen: boolean;
  setPanelOpen(isOpen: boolean): void;
}

export const RoomContext = createContext<RoomDetails | null>(null);

export function useRoom(): RoomDetails {
  const room = useContext(RoomContext);
  if (room === null) throw new Error("a part of a room was rendered outside of one");
  return room;
}
