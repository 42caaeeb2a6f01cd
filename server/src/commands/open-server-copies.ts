import { appendFile, chmod, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Settings } from "../config/index.ts";
import { deriveKey, derivePassword } from "../crypto/index.ts";
import {
  type ClusterPlace,
  EMBEDDED_DATABASE,
  findLastPort,
  MASTER_KEY_FILE,
  markRestoredCopy,
  openMasterKey,
  prepareCopy,
  type RecoveryTarget,
  recoverCluster,
  throwAwayPath,
  withDraft,
} from "../db/index.ts";
import { describeServer, type ServerCopies, type ServerCopy } from "../extensions/index.ts";
import { extractCopy, makeEmptyFolder, writeKeptFiles } from "./archive/extract-copy.ts";
import type { CommandContext } from "./command.ts";
import { requireEmbeddedCluster } from "./database-access.ts";
import { installCopy, withCheckedCopy } from "./install-copy.ts";
import { type ProgressLine, withProgress } from "./progress-line.ts";
import { missingKeyError, printRestored, requireMajor, requireNoDatabaseUrl } from "./restore.ts";

/** The superuser of an embedded server. A server of the operator may have another one, which no key here belongs to. */
const SUPERUSER = "postgres";

/** The part of the port with which commands restore and try out copies of the server. */
export function openServerCopies(extension: string, settings: Settings, context: CommandContext): ServerCopies {
  return {
    deriveKey: async (purpose) => deriveKey((await readKey(settings)).masterKey, `extension:${extension}:${purpose}`),

    findServer: () => findServer(extension, settings),

    install: async (copy, { title, target: wanted, replaces }) => {
      requireNoDatabaseUrl(settings);
      const target = resolve(wanted ?? settings.dataDir);
      const { masterKey, isStored } = await readKey(settings);
      const previousDir = await installCopy({
        target,
        replaces,
        context,
        fill: async (draft) => {
          await recoverCopy(copy, draft, settings, context);
          await writeKeptFiles(draft, copy.keptFiles, isStored ? masterKey : null);
          const checked = { database: EMBEDDED_DATABASE, masterKey, settings, context };
          await withCheckedCopy(draft, checked, async (client) => {
            const restoredAt = context.clock.now().toISOString();
            await markRestoredCopy(client, { restoredAt, backupOf: copy.createdAt }, { isReplacing: true });
          });
        },
      });
      printRestored(context, { what: title, target, previousDir });
    },

    tryOut: async (copy, { folder, database }, work) => {
      const { masterKey } = await readKey(settings);
      return withDraft(throwAwayPath(settings.dataDir, folder), async (draft) => {
        await recoverCopy(copy, draft, settings, context);
        return withCheckedCopy(draft, { database, masterKey, settings, context }, work);
      });
    },

    writeFiles: async (copy, folder) => {
      await makeEmptyFolder(folder);
      await withProgress(context, (progress) =>
        extractFiles(copy, { clusterDir: folder, account: null }, progress, context),
      );
      await appendFile(join(folder, "postgresql.auto.conf"), renderRecovery(copy.until));
      await writeFile(join(folder, "recovery.signal"), "", { mode: 0o600 });
      await chmod(folder, 0o700);
    },
  };
}

async function readKey(settings: Settings): Promise<{ readonly masterKey: string; readonly isStored: boolean }> {
  if (settings.masterKey !== null) return { masterKey: settings.masterKey, isStored: false };
  const stored = await readFile(join(settings.dataDir, MASTER_KEY_FILE), "utf8").catch(() => null);
  if (stored === null) throw missingKeyError();
  return { masterKey: stored.trim(), isStored: true };
}

async function findServer(extension: string, settings: Settings): ReturnType<ServerCopies["findServer"]> {
  const { databaseUrl, databaseDirectUrl, databaseAdminUrl, dataDir } = settings;
  if (databaseUrl === null) await requireEmbeddedCluster(settings);
  const masterKey = await openMasterKey(settings);
  const port = (await findLastPort(dataDir)) ?? 0;
  const password = encodeURIComponent(derivePassword(masterKey, SUPERUSER));
  const embedded = `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${EMBEDDED_DATABASE}`;
  return describeServer({
    extension,
    masterKey,
    dataDir,
    server: {
      adminUrl: databaseAdminUrl ?? databaseUrl ?? embedded,
      directUrl: databaseDirectUrl ?? databaseUrl ?? embedded,
      isEmbedded: databaseUrl === null,
    },
  });
}

/** Extracts the files of the copy into a data directory, and runs the recovery of its database to the wanted moment. */
function recoverCopy(copy: ServerCopy, dataDir: string, settings: Settings, context: CommandContext): Promise<void> {
  return withProgress(context, async (progress) => {
    await requireMajor(copy.postgresMajor, "that made it");
    const place = await prepareCopy(dataDir);
    await extractFiles(copy, place, progress, context);
    progress.step("recovering the database");
    const { masterKey } = await readKey(settings);
    const password = derivePassword(masterKey, SUPERUSER);
    await recoverCluster({
      dataDir,
      target: copy.until,
      // A copy of a server of the operator has another password, and perhaps no such role.
      statements: [
        `do $$ begin if to_regrole('${SUPERUSER}') is null then create role ${SUPERUSER}; end if; end $$`,
        `alter role ${SUPERUSER} superuser login password '${password}'`,
      ],
      signal: context.signal,
    });
    progress.step("verifying the database");
  });
}

function extractFiles(
  copy: ServerCopy,
  place: Pick<ClusterPlace, "clusterDir" | "account">,
  progress: ProgressLine,
  { signal }: CommandContext,
): Promise<void> {
  return extractCopy({
    copy,
    place,
    signal,
    onStep: (title) => progress.step(title),
    onBytes: (count) => progress.add(count),
  });
}

function renderRecovery(until: RecoveryTarget | null): string {
  const settings = {
    // Everything that is needed is in pg_wal.
    restore_command: "exit 1",
    recovery_target_action: "promote",
    ...(until !== null && "time" in until && { recovery_target_time: until.time }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  return `\n# For the recovery of a backup; not needed after it.\n${lines.join("")}`;
}
