import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ok, PASSWORD, signInAgain } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { newPerson, type Person } from "./support/people.ts";
import {
  addRow,
  type Change,
  type ChangesFilter,
  disconnectAll,
  receiveChanges,
  withVersion,
  VERSIONS,
} from "./support/realtime.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

const AGENTS: ChangesFilter = { event: "*", schema: "public", table: "agents" };

let service: Service;
before(async () => {
  service = await startService(UNLIMITED);
});
after(async () => {
  await disconnectAll();
  await service?.stop();
});

const namesOf = (changes: readonly Change[]) => changes.map(({ new: row }) => row["name"]);

for (const vsn of VERSIONS) {
  describe(`6.5 sessions of those who listen, protocol ${vsn}`, () => {
    let ada: Person;
    let bob: Person;
    before(async () => {
      ada = await newPerson(service, withVersion(vsn));
      bob = await newPerson(service, withVersion(vsn));
    });

    test("6.5 a channel continues with a new token, and a token of another user receives that user's rows", async (t) => {
      const received = await receiveChanges(t, ada.client, AGENTS);
      ok(await ada.client.auth.refreshSession());
      await addRow(ada, "agents", { name: "after the refresh" });
      await received.waitFor(1);
      const theirs = ok(await bob.client.auth.getSession()).session?.access_token ?? "";
      await ada.client.realtime.setAuth(theirs);
      await eventually(
        async () => {
          await addRow(bob, "agents", { name: "Bob's" });
          await addRow(ada, "agents", { name: "Ada's" });
          return namesOf(received.changes);
        },
        (names) => names.includes("Bob's"),
        "what the other user sees",
      );
      const since = received.changes.length;
      await addRow(ada, "agents", { name: "unseen" });
      await addRow(bob, "agents", { name: "seen" });
      await received.waitFor(since + 1);
      await eventually(
        () => namesOf(received.changes),
        (names) => names.includes("seen"),
        "the last one",
      );
      assert.ok(!namesOf(received.changes).includes("unseen"));
      assert.ok(
        received.statuses.every((status) => status === "SUBSCRIBED"),
        received.statuses.join(),
      );
      await ada.client.realtime.setAuth();
    });

    test("6.5 a sign-out ends the channels of that session at once, and not those of the user's other devices", async (t) => {
      const person = await newPerson(service, withVersion(vsn));
      const { email, client: kept } = person;
      const { client: lost } = await signInAgain(service, email, withVersion(vsn));
      const [here, there] = [await receiveChanges(t, kept, AGENTS), await receiveChanges(t, lost, AGENTS)];
      await addRow(person, "agents", { name: "before" });
      await there.waitFor(1);
      assert.equal((await kept.auth.signOut({ scope: "others" })).error, null);
      await addRow(person, "agents", { name: "after" });
      await here.waitFor(2);
      await eventually(
        () => there.statuses,
        (statuses) => statuses.includes("CHANNEL_ERROR"),
        "word of the end",
      );
      assert.deepEqual(namesOf(there.changes), ["before"]);
      assert.deepEqual(here.statuses, ["SUBSCRIBED"]);
      ok(await lost.auth.signInWithPassword({ email, password: PASSWORD }));
      await eventually(
        async () => {
          await addRow(person, "agents", { name: "again" });
          return namesOf(there.changes);
        },
        (names) => names.includes("again"),
        "changes for the device that is signed in again",
      );
      assert.ok(!namesOf(there.changes).includes("after"));
    });
  });
}
