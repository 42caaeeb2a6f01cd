import { type ExtensionCommandContext, parseOptions } from "swarmbase/extension";
import { withArchive } from "../open-target.ts";
import { runArchiver } from "../run/run-archiver.ts";
import { VERIFY_ARGUMENTS } from "../verify/verify-arguments.ts";
import { type BackupRows, rulesOf, slotPrefixOf } from "../settings.ts";

/** Archives until the program is ended. */
export async function runContinuousCommand(context: ExtensionCommandContext<BackupRows>): Promise<number> {
  const { values } = parseOptions(context.args, { continuous: { type: "boolean" }, to: { type: "string" } });
  const { settings, copies, stderr, version, signal } = context;
  const say = (text: string): void => void stderr.write(`${context.now().toISOString()} ${text}\n`);
  return withArchive(context, values.to, async (archive) => {
    const server = await copies.findServer();
    say(`archiving to ${archive.location}`);
    await runArchiver(
      {
        archive,
        server,
        slotPrefix: slotPrefixOf(archive.location),
        rules: rulesOf(settings),
        version,
        verify: (until) =>
          context.runInBackground(
            [...VERIFY_ARGUMENTS, ...(values.to === undefined ? [] : ["--from", values.to])],
            until,
          ),
        now: () => context.now(),
        onStandby: () => say("another process archives to this target; waiting to take over"),
        report: {
          note: (message, fields = {}) => say(`${message} ${JSON.stringify(fields)}`),
          fail: (message, error) => say(`${message}: ${error instanceof Error ? error.message : String(error)}`),
          archived: () => {},
          based: () => {},
          kept: () => {},
          verified: () => {},
        },
      },
      signal,
    );
    return 0;
  });
}
