import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../crypto/index.ts";
import type { MemorySizes } from "./size-memory.ts";

const ACCESS_RULES = `# Written at every start. Nobody gets in without a password, and nobody from another machine.
local all         all              scram-sha-256
local replication all              scram-sha-256
host  all         all 127.0.0.1/32 scram-sha-256
host  all         all ::1/128      scram-sha-256
host  replication all 127.0.0.1/32 scram-sha-256
host  replication all ::1/128      scram-sha-256
`;

/**
 * The files are beside the cluster and not in it: as root we would otherwise write where another account may create links.
 * They contain no secret.
 */
export async function writeConfiguration(home: string, sizes: MemorySizes): Promise<void> {
  await writeIfChanged(configurationPath(home), renderConfiguration(sizes));
  await writeIfChanged(accessRulesPath(home), ACCESS_RULES);
}

/** Set on the command line, so that not even `alter system` can override them. */
export function postmasterArguments(o: {
  readonly home: string;
  readonly clusterDir: string;
  readonly port: number;
  readonly socketDir: string | null;
}): string[] {
  const fixed: Record<string, string> = {
    config_file: configurationPath(o.home),
    hba_file: accessRulesPath(o.home),
    listen_addresses: "127.0.0.1",
    port: String(o.port),
    unix_socket_directories: o.socketDir === null ? "" : `"${o.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    fsync: "on",
    full_page_writes: "on",
  };
  return ["-D", o.clusterDir, ...Object.entries(fixed).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

export function renderConfiguration(sizes: MemorySizes): string {
  const settings: Record<string, string | number> = {
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    wal_level: "logical",
    max_wal_senders: 64,
    max_replication_slots: 64,
    max_slot_wal_keep_size: "1GB",
    password_encryption: "scram-sha-256",
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    default_text_search_config: "pg_catalog.english",
    max_connections: sizes.maxConnections,
    shared_buffers: `${sizes.sharedBuffersMb}MB`,
    effective_cache_size: `${sizes.effectiveCacheMb}MB`,
    work_mem: `${sizes.workMemMb}MB`,
    maintenance_work_mem: `${sizes.maintenanceWorkMemMb}MB`,
    max_parallel_workers: sizes.parallelWorkers,
    // The default, for spinning disks, makes the planner scan small tables once for every row that embeds them.
    random_page_cost: 1.1,
    jit: "off",
    // As many pages a second as by default, with one wake-up instead of five.
    bgwriter_delay: "1s",
    bgwriter_lru_maxpages: 500,
    log_destination: "stderr",
    logging_collector: "off",
    log_min_messages: "warning",
    log_line_prefix: "%m [%p] %q%u@%d ",
    log_checkpoints: "off",
    // Statements and error details can contain rows and passwords; the sender of the statement gets them anyway.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
  };
  if (sizes.usesMappedFiles) settings["dynamic_shared_memory_type"] = "mmap";
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return `# Written at every start; changes here are lost. Use "alter system" for settings of your own.\n${lines.join("\n")}\n`;
}

async function writeIfChanged(path: string, text: string): Promise<void> {
  const current = await readFile(path, "utf8").catch(() => null);
  if (current !== text) await replaceFile(path, text, 0o644);
}

export function configurationPath(home: string): string {
  return join(home, "postgresql.conf");
}

function accessRulesPath(home: string): string {
  return join(home, "pg_hba.conf");
}
