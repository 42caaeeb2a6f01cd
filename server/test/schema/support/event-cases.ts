import { describe, it } from "node:test";
import { assertEvents, type ExpectedEvent, openRoom, type Room } from "./room.ts";
import { openStage } from "./stage.ts";

export interface EventCase {
  readonly name: string;
  act(room: Room): Promise<unknown>;
  /** Left out: nothing is told. */
  expect?(room: Room): readonly ExpectedEvent[];
}

export const SERVICE = { type: "service", id: null };
export const SYSTEM = { type: "system", id: null };
export const user = (id: string) => ({ type: "user", id });
export const all = ({ owner, admin, member, viewer }: Room): string[] => [owner, admin, member, viewer];

/** One database for all cases of the file, which stand under their titles. */
export function testEvents(titles: Readonly<Record<string, readonly EventCase[]>>): void {
  const opened = openStage();
  for (const [title, cases] of Object.entries(titles)) {
    describe(`events of ${title}`, () => {
      for (const { name, act, expect } of cases) {
        it(name, async () => {
          const room = await openRoom(opened.stage);
          await act(room);
          assertEvents(await room.stage.takeEvents(), expect?.(room) ?? []);
        });
      }
    });
  }
}
