import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readFolder } from "../files/read-folder.ts";
import { printable } from "../plan/render-plan.ts";
import { buildFiles, type Pulled } from "../pull/build-files.ts";
import { readRemote } from "../service/read-remote.ts";
import { type Context, readOptions } from "./options.ts";
import { confirm, withFolderSession } from "./run.ts";

const EXIT_FAULT = 1;

export async function runPull(context: Context): Promise<number> {
  const values = readOptions(context, ["yes"]);
  const { folder } = values;
  const deletes = values.delete === true;
  const { resources } = await readFolder(folder);
  return withFolderSession(context, values, async (session, output) => {
    const remote = await readRemote(session);
    const pulled = buildFiles(resources, remote, { ownerId: session.owner.id, variables: context.env });
    output.print(render(pulled, deletes));
    const changed = pulled.files.filter(({ text, before }) => text !== before);
    const removed = deletes ? pulled.surplus : [];
    const isHarmless = changed.every(({ before }) => before === null) && removed.length === 0;
    if (!isHarmless && values.yes !== true && !(await confirm(context, "\nOverwrite these files?"))) {
      context.stderr.write("Nothing was written. Without a terminal, pass --yes.\n");
      return EXIT_FAULT;
    }
    for (const { file, text } of changed) await replaceFile(join(folder, file), text);
    for (const file of removed) await rm(join(folder, file));
    return 0;
  });
}

function render({ files, surplus, notes }: Pulled, deletes: boolean): string {
  const changed = files.filter(({ text, before }) => text !== before);
  const unchanged = files.length - changed.length;
  return [
    ...changed.map(({ file, before }) => `${before === null ? "+" : "~"} ${file}`),
    ...surplus.map((file) => `- ${file}${deletes ? "" : "  (not on the service; kept, --delete removes it)"}`),
    ...notes.map((note) => printable(`Note: ${note}`)),
    `${changed.length} written, ${deletes ? surplus.length : 0} removed, ${unchanged} unchanged.`,
    "",
  ].join("\n");
}

/** A reader sees the old file or the new one, never a part. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
