import { resolve } from "node:path";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { planRestore } from "../archive/plan-restore.ts";
import { readCopy } from "../archive/read-copy.ts";
import { withArchive } from "../open-target.ts";
import type { BackupRows } from "../settings.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;

/** Makes a data directory from an archive. */
export async function runRestoreCommand(context: ExtensionCommandContext<BackupRows>): Promise<number> {
  const { values } = parseOptions(context.args, {
    from: { type: "string" },
    to: { type: "string" },
    "to-time": { type: "string" },
    "to-latest": { type: "boolean" },
    replace: { type: "boolean" },
  });
  if (values["to-time"] !== undefined && values["to-latest"] === true)
    throw new UsageError("--to-time and --to-latest exclude each other.");
  const toTime = values["to-time"] === undefined ? null : parseTime(values["to-time"]);
  const { copies, signal, stdout } = context;
  return withArchive(context, values.from, async (archive) => {
    const plan = await planRestore(archive, toTime, signal);
    const copy = readCopy(archive, plan, toTime === null ? null : { time: renderTime(toTime) }, signal);
    const state = `the state of ${(toTime ?? plan.completeUntil).toISOString()}`;
    if (plan.base.isEmbedded) {
      await copies.install(copy, { title: state, target: values.to ?? null, replaces: values.replace === true });
      return 0;
    }
    if (values.to === undefined)
      throw new UsageError(
        "The archive is of a server of your own. Name the folder for its data directory: --to <folder>",
      );
    const folder = resolve(values.to);
    await copies.writeFiles(copy, folder);
    stdout.write(
      `Wrote a data directory of PostgreSQL ${plan.description.postgresMajor} to ${folder}. Make it belong to the account of ` +
        `PostgreSQL; its first start recovers ${state}. Then start Swarmbase on it once with RESTORED_COPY=hold, because the ` +
        "original may still be running.\n",
    );
    return 0;
  });
}

/** With a numeric offset: PostgreSQL reads the setting before it knows abbreviations such as Z. */
function renderTime(time: Date): string {
  return time.toISOString().replace("Z", "+00");
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (!TIME.test(text) || Number.isNaN(time.getTime()))
    throw new UsageError("--to-time takes a time with its offset, such as 2026-11-17T09:30:00Z.");
  return time;
}
