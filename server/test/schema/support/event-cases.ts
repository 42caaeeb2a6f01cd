import { describe, it } from "node:test";
import { assertEvents, type ExpectedEvent, openSwarmFixture, type SwarmFixture } from "./swarm-fixture.ts";
import { openStage } from "./stage.ts";

export interface EventCase {
  readonly name: string;
  act(fixture: SwarmFixture): Promise<unknown>;
  /** Omitted when no event is emitted. */
  expect?(fixture: SwarmFixture): readonly ExpectedEvent[];
}

export const SERVICE = { type: "service", id: null };
export const SYSTEM = { type: "system", id: null };
export const user = (id: string) => ({ type: "user", id });
export const all = ({ owner, admin, member, viewer }: SwarmFixture): string[] => [owner, admin, member, viewer];

/** One database for all cases of the file, which stand under their titles. */
export function testEvents(titles: Readonly<Record<string, readonly EventCase[]>>): void {
  const opened = openStage();
  for (const [title, cases] of Object.entries(titles)) {
    describe(`events of ${title}`, () => {
      for (const { name, act, expect } of cases) {
        it(name, async () => {
          const fixture = await openSwarmFixture(opened.stage);
          await act(fixture);
          assertEvents(await fixture.stage.takeEvents(), expect?.(fixture) ?? []);
        });
      }
    });
  }
}
