import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Credentials } from "../testing/run-instance.ts";
import { approve, askForRefund, askForReport, askForStream, signalReport } from "./ask.ts";
import { showDeliveries, showForgery } from "./deliveries.ts";
import { eventually } from "./eventually.ts";
import { showIsolation, showOwner } from "./isolation.ts";
import { followMessages } from "./live-changes.ts";
import { createNarrator, type Narrator } from "./narrator.ts";
import { openOffice } from "./office.ts";
import { type Person, type CreatedRow, createPerson, dataOf } from "./people.ts";
import { addOrders, publishAgent } from "./publish.ts";

/** The second part of run-demo.ts, after its first step: everything that a client does. */
async function walk(dataDir: string): Promise<void> {
  const narrator = createNarrator(process.stdout, 2);
  const credentials = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as Credentials;
  const toolToken = randomUUID();
  const office = await openOffice(dataDir, credentials.url, toolToken);
  try {
    const shop = await publishAgent(credentials, { office, toolToken, narrator });
    narrator.step("Two customers sign up, and see the agent", 'auth.signUp, from("published_agents")');
    const [ada, bob] = await Promise.all([createPerson(credentials, "Ada"), createPerson(credentials, "Bob")]);
    await addOrders(credentials, [ada, bob]);
    for (const customer of [ada, bob]) await showPublished(customer, narrator);
    const [adasView, bobsView] = await Promise.all([followMessages(ada), followMessages(bob)]);

    await askForStream(ada, shop.agent.id, narrator);
    const waiting = await askForReport(ada, shop.agent.id, narrator);
    const asked = await askForRefund(ada, shop.agent.id, narrator);
    await killService(narrator);
    await approve(ada, asked, narrator);
    await signalReport(ada, waiting, narrator);
    await askForStream(bob, shop.agent.id, narrator);
    assert.deepEqual(office.refunds, [ada.id], "one order was to be refunded, for the customer who asked");
    await eventually(
      () => adasView.heard.includes(asked.swarm_id),
      (hasHeard) => hasHeard,
      "the messages over realtime",
    );
    await showIsolation(bob, { asked, shop, live: bobsView, of: ada }, narrator);
    await showOwner(shop, asked, narrator);
    await showDeliveries(shop.owner, office, narrator);
    await showForgery(office, narrator);

    narrator.step("End", "Ctrl-C does the same at any time");
    await Promise.all([adasView.close(), bobsView.close()]);
  } finally {
    await office.close();
  }
}

async function showPublished({ name, client }: Person, narrator: Narrator): Promise<void> {
  const [agent] = dataOf<readonly CreatedRow[]>(await client.from("published_agents").select());
  assert.ok(agent !== undefined, "the agent was to be published");
  const { name: agentName, description, approver, transcripts } = agent;
  narrator.line(
    `${name}  ${String(agentName)}: ${String(description)} approver: ${String(approver)}, transcripts: ${String(transcripts)}`,
  );
}

/** The process that started this one also runs the service. */
async function killService(narrator: Narrator): Promise<void> {
  narrator.step("kill -9 of the service, and a new start", "the runs are in PostgreSQL");
  process.send?.("kill");
  const [took] = (await once(process, "message")) as [string];
  narrator.line(`killed; serves again after ${took}`);
}

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("swarmbase demo starts this, with the data directory of a running instance");
try {
  await walk(dataDir);
} catch (error) {
  process.stderr.write(`${inspect(error)}\n`);
  // Open sockets of the client would keep the process alive.
  process.exit(1);
}
process.exit(0);
