import { openDatabase } from "../../src/db/index.ts";
import { openChanges } from "../../src/realtime/open-changes.ts";
import { openReplication } from "../../src/realtime/feed/open-replication.ts";
import { systemClock } from "../../src/time/index.ts";
import { silentObserver } from "../support/silent-observer.ts";

/** A node of its own, for being killed. Says so when its feed is live. */
const { FEED_URL: directUrl = "", ADMIN_URL: url = "", MASTER: masterKey = "" } = process.env;
const database = openDatabase({ url, masterKey, poolSize: 2, observer: silentObserver });
const changes = openChanges({
  openStream: openReplication(directUrl),
  database,
  observer: silentObserver,
  clock: systemClock,
});
void changes.worker.run(new AbortController().signal);
await changes.subscribe(
  { principal: { role: "anon", userId: null, claims: {}, session: null }, bindings: [], deliver() {}, lose() {} },
  new AbortController().signal,
);
process.stdout.write("live\n");
