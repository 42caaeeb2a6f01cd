import { loadSettings, parseOptions } from "../config/index.ts";
import { clearRestoredCopy, findRestoredCopy } from "../db/index.ts";
import type { Command } from "./command.ts";
import { selectHeldWork } from "./sql/select-held-work.ts";
import { withOwnerClient } from "./database-access.ts";

export const resumeCommand: Command = {
  name: "resume",
  summary: "make a restored copy deliver webhooks, run agents and send mails",
  help: `
Usage: swarmbase resume [--dry-run]

A database that "restore" has created is a copy, and its original may still be running. So that nothing happens twice, a
copy holds webhook deliveries, agent runs and mails. This command declares the copy the original. Running nodes notice
it within a few seconds, without a restart.

What was pending at the time of the backup then proceeds, even if the original has delivered it since: receivers recognise
it by the id of the delivery.

--dry-run  prints what is held, and changes nothing.`,
  run: async (context) => {
    const { values } = parseOptions(context.args, { "dry-run": { type: "boolean" } });
    const isDryRun = values["dry-run"] === true;
    const report = await withOwnerClient(loadSettings(context.env), context, async ({ client }) => {
      const copy = await findRestoredCopy(client);
      if (copy === null) return "Nothing is held: this database is not a restored copy.";
      const { events, deliveries, runs, mails } = await selectHeldWork(client);
      const what = `events ${events}, deliveries ${deliveries}, runs ${runs}, mails ${mails}`;
      const origin = copy.backupOf === null ? "" : ` of the backup of ${copy.backupOf}`;
      if (isDryRun) return `This is a copy${origin}, restored at ${copy.restoredAt}. Held: ${what}.`;
      await clearRestoredCopy(client);
      return `Resumed: ${what}.`;
    });
    context.stdout.write(`${report}\n`);
    return 0;
  },
};
