import type { Client } from "pg";
import { checkMasterKey } from "../../auth/index.ts";
import {
  compareMigrations,
  type ExtensionSchema,
  findRestoredCopy,
  inspectServer,
  MAX_CLOCK_DIFFERENCE_MS,
  messageOf,
  type NodeNeeds,
  type ServerHealth,
  type ServerReport,
  selectServerHealth,
} from "../../db/index.ts";
import type { Clock } from "../../time/index.ts";
import { formatBytes } from "../progress-line.ts";
import type { Findings } from "./finding.ts";
import { selectWebhookBacklog } from "./sql/select-webhook-backlog.ts";

interface DatabaseCheckOptions {
  readonly masterKey: string;
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  readonly needs: NodeNeeds;
  readonly extensions?: readonly ExtensionSchema[];
  readonly longTransactionSeconds?: number;
}

const LONG_TRANSACTION_SECONDS = 600;
const BACKLOG_SECONDS = 300;
const CLOCK_FAULT_MS = 30_000;

/** Checks a reachable server as its administrator. */
export async function checkDatabase(client: Client, o: DatabaseCheckOptions, findings: Findings): Promise<void> {
  const report = await inspectServer(client, o.needs, o.clock);
  const health = await selectServerHealth(client, o.longTransactionSeconds ?? LONG_TRANSACTION_SECONDS);
  findings.ok("database", `PostgreSQL ${report.version}, ${o.isEmbedded ? "embedded" : "reached"}`);
  for (const fault of report.faults) {
    const advice = "Run the named statement, or use another database.";
    findings.fault("database", { what: fault, why: "The service does not start without it.", advice });
  }
  for (const warning of report.warnings) {
    const why = "A part of the service does not work, is slower, or is less secure.";
    findings.warn("database", { what: warning, why, advice: "Follow the instruction in the message." });
  }
  judgeClock(report.clockDifference, findings);
  judgeRights(health, findings);
  judgeLeftovers(health, findings);
  await judgeMigrations(client, o.extensions ?? [], findings);
  await judgeCopy(client, findings);
  await judgeBacklog(client, findings);
  await judgeMasterKey(client, o.masterKey, findings);
}

function judgeClock({ ms, text }: ServerReport["clockDifference"], findings: Findings): void {
  const problem = {
    what: text,
    why: "One clock dates tokens, sessions and signatures, the other one checks them: sign-ins fail or last too long.",
    advice: "Synchronise the clocks of both machines (chrony, systemd-timesyncd).",
  };
  if (ms > CLOCK_FAULT_MS) findings.fault("clock", problem);
  else if (ms > MAX_CLOCK_DIFFERENCE_MS) findings.warn("clock", problem);
  else findings.ok("clock", "agrees with that of the database");
}

function judgeRights(health: ServerHealth, findings: Findings): void {
  if (health.missingRoles.length > 0) {
    findings.warn("roles", {
      what: `these roles are missing: ${health.missingRoles.join(", ")}`,
      why: "Requests run as these roles.",
      advice: "Create them with: swarmbase migrate",
    });
  }
  for (const right of health.excessiveRights) {
    findings.fault("roles", {
      what: `a role has too many rights: ${right}`,
      why: "The rows of one user could be read by another.",
      advice:
        "Remove the right: alter role <role> nosuperuser nobypassrls noreplication, or revoke service_role from sb_user.",
    });
  }
  if (!health.canReplicaReplicate) {
    findings.warn("roles", {
      what: "sb_replica may not replicate",
      why: "Realtime cannot read the changes of the database.",
      advice: "As a superuser: alter role sb_replica replication; then restart the service.",
    });
  }
  const isFine = health.missingRoles.length + health.excessiveRights.length === 0 && health.canReplicaReplicate;
  if (isFine) findings.ok("roles", "complete, with the rights they need and no others");
}

function judgeLeftovers(health: ServerHealth, findings: Findings): void {
  for (const { pid, seconds, what } of health.longTransactions) {
    findings.warn("transactions", {
      what: `a transaction has been open for ${seconds} seconds (process ${pid}: ${what})`,
      why: "It prevents the removal of dead rows, and may hold locks that others wait for.",
      advice: `End it in the program that began it, or: select pg_terminate_backend(${pid});`,
    });
  }
  if (health.preparedTransactions > 0) {
    findings.warn("transactions", {
      what: `${health.preparedTransactions} prepared transactions are not finished`,
      why: "They hold locks, also after a restart.",
      advice: "See pg_prepared_xacts; then: commit prepared or rollback prepared.",
    });
  }
  for (const { name, keptBytes } of health.idleSlots) {
    findings.warn("slots", {
      what: `the replication slot ${name} is unused; it retains ${formatBytes(keptBytes)} of WAL`,
      why: "The WAL grows until the disk is full. Swarmbase itself uses temporary slots only.",
      advice: `If nothing needs it any more: select pg_drop_replication_slot('${name}');`,
    });
  }
}

async function judgeMigrations(
  client: Client,
  extensions: readonly ExtensionSchema[],
  findings: Findings,
): Promise<void> {
  const { pending, waiting, unknown, isUsable, fault } = await compareMigrations(client, extensions);
  if (unknown.length > 0) {
    const what = `the database has migrations that this release does not know: ${unknown.join(", ")}`;
    if (isUsable) {
      findings.warn("migrations", {
        what,
        why: "A newer release has begun to replace this one. Nodes of this release run until all of them are replaced.",
        advice: "Replace the nodes of this release by those of the newer one.",
      });
    } else {
      findings.fault("migrations", {
        what,
        why: "A newer release has removed from the database what this release uses.",
        advice: "Use the newer release, or restore a backup that was made before it.",
      });
    }
  } else if (fault !== null) {
    findings.fault("migrations", {
      what: fault,
      why: "The service does not start with it.",
      advice: "Set DATA_DIR or DATABASE_URL to another place, or use the build that made the database.",
    });
  } else if (pending.length > 0) {
    findings.warn("migrations", {
      what: `${pending.length} migrations are pending: ${pending.join(", ")}`,
      why: "The service applies them at its start, and serves only after that.",
      advice: "swarmbase backup, then swarmbase upgrade, in a maintenance window.",
    });
  } else if (waiting.length > 0) {
    findings.warn("migrations", {
      what: `${waiting.length} migrations wait until no node of an older release runs: ${waiting.join(", ")}`,
      why: "They remove what that release uses. Until then the database keeps it, at a small cost.",
      advice: "Replace the remaining nodes of the older release, then: swarmbase upgrade",
    });
  } else {
    findings.ok("migrations", "none is pending");
  }
}

async function judgeCopy(client: Client, findings: Findings): Promise<void> {
  const copy = await findRestoredCopy(client);
  if (copy === null) return;
  const origin = copy.backupOf === null ? "" : ` from the backup of ${copy.backupOf}`;
  findings.warn("copy", {
    what: `the database is a copy, restored at ${copy.restoredAt}${origin}`,
    why: "Webhook deliveries, agent runs and mails are held, because the original may still be running.",
    advice: "To declare it the original: swarmbase resume",
  });
}

async function judgeBacklog(client: Client, findings: Findings): Promise<void> {
  const backlog = await selectWebhookBacklog(client);
  if (backlog === null) return;
  const { waiting, oldestSeconds, eventsWaiting } = backlog;
  if (oldestSeconds <= BACKLOG_SECONDS)
    return findings.ok("webhooks", `${waiting} deliveries and ${eventsWaiting} events are waiting`);
  findings.warn("webhooks", {
    what: `${waiting} deliveries are due, the oldest for ${Math.round(oldestSeconds)} seconds`,
    why: "Receivers get events too late.",
    advice:
      "Check that the service is running; if it is, raise WEBHOOK_CONCURRENCY or WEBHOOK_ENDPOINT_CONCURRENCY, or add a node.",
  });
}

/** Runs last, because it leaves the session in the role of the schema owner. */
async function judgeMasterKey(client: Client, masterKey: string, findings: Findings): Promise<void> {
  try {
    await checkMasterKey(client, masterKey);
    findings.ok("master key", "decrypts the keys in the database");
  } catch (error) {
    findings.fault("master key", {
      what: `the master key does not decrypt the keys in the database: ${messageOf(error)}`,
      why: "The service does not start: it can neither sign tokens nor read stored secrets.",
      advice: "Restore the MASTER_KEY, or the master.key in DATA_DIR, that this database was created with.",
    });
  }
}
