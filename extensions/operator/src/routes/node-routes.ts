import type { BackupState } from "../observe/describe-process.ts";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { type NodeRow, selectNodes } from "../sql/observations.ts";
import { selectSlots } from "../sql/select-slots.ts";

/** A process that has ended is listed as long as this. */
const LISTED_MINUTES = 60;
/** Eight samples. */
const LIVE_MS = 120_000;

export const nodeRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: "/operator/v1/nodes", action: "nodes.list", handler: listNodes },
];

async function listNodes(_request: OperatorRequest, context: OperatorContext) {
  const { rows, slots } = await context.database.asService(async (run) => ({
    rows: await selectNodes(run, LISTED_MINUTES),
    slots: await selectSlots(run),
  }));
  const nowMs = context.now().getTime();
  const nodes = rows.map(({ node, seen_at: seenAt, process: { backup: _backup, ...state } }) => ({
    node,
    seen_at: seenAt,
    is_live: nowMs - seenAt.getTime() < LIVE_MS,
    ...state,
  }));
  return { body: { nodes, slots, backups: describeBackups(context, rows) } };
}

/** The schedule by the settings, and what the process that archives has reported last. */
function describeBackups({ operations }: OperatorContext, rows: readonly NodeRow[]) {
  const settings = new Map(operations.settings().map(({ name, value }) => [name, value]));
  const target = settings.get("BACKUP_DIR") ?? settings.get("BACKUP_S3_URL") ?? null;
  const [latest] = rows
    .filter(({ process: { backup } }) => backup !== undefined && backup !== null)
    .sort((a, b) => b.seen_at.getTime() - a.seen_at.getTime());
  const state: BackupState | null = latest?.process.backup ?? null;
  const readNumber = (name: string): number | null => {
    const value = settings.get(name) ?? null;
    return value === null ? null : Number(value);
  };
  return {
    is_loaded: settings.has("BACKUP_DIR"),
    target,
    base_interval_seconds: readNumber("BACKUP_BASE_INTERVAL_SECONDS"),
    wal_interval_seconds: readNumber("BACKUP_WAL_INTERVAL_SECONDS"),
    kept_bases: readNumber("BACKUP_BASES_KEPT"),
    verify_interval_seconds: readNumber("BACKUP_VERIFY_INTERVAL_SECONDS"),
    node: latest?.node ?? null,
    reported_at: latest?.seen_at ?? null,
    state,
  };
}
