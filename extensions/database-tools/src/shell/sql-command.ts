import { text as readText } from "node:stream/consumers";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { readScript, runScript, type Script } from "./run-script.ts";
import { runShell } from "./run-shell.ts";
import { openSession } from "./session.ts";

export async function runSqlCommand(context: ExtensionCommandContext): Promise<number> {
  const { values, positionals } = parseOptions(
    context.args,
    {
      command: { type: "string", short: "c" },
      expanded: { type: "boolean", short: "x" },
      "single-transaction": { type: "boolean", short: "1" },
    },
    1,
  );
  const [file] = positionals;
  const { command, expanded = false, "single-transaction": isSingle = false } = values;
  if (command !== undefined && file !== undefined) throw new UsageError("Name a file or a statement, not both.");
  const isShell = command === undefined && file === undefined && context.stdin.isTTY === true;
  if (isShell && isSingle) throw new UsageError("--single-transaction is for files and statements.");
  const workingDir = process.cwd();
  // Read first, so that a file that is missing does not start a database.
  const script: Script | null = isShell
    ? null
    : file !== undefined && file !== "-"
      ? await readScript(file, workingDir).catch(explainMissing)
      : { name: null, text: command ?? (await readText(context.stdin)), folder: workingDir };
  return context.withDatabase(async ({ client, url }) => {
    const session = await openSession(client, url, context);
    session.isExpanded = expanded;
    context.signal.addEventListener("abort", () => void session.cancel(), { once: true });
    if (script === null) {
      await runShell(session, {
        stdin: context.stdin,
        signal: context.signal,
        home: context.env["HOME"],
        workingDir,
      });
      return 0;
    }
    if (isSingle) await client.query("begin");
    const isDone = await runScript(session, script);
    if (isSingle) await client.query(isDone ? "commit" : "rollback");
    return isDone ? 0 : 1;
  });
}

/** A statement without `-c` looks like the name of a file. */
function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== "ENOENT") throw error;
  throw new UsageError(`There is no file ${error.path}. To run a statement, use -c "<statement>".`);
}
