import type { Client } from "pg";
import { checkMasterKey } from "../../auth/index.ts";
import {
  compareClocks,
  compareMigrations,
  findRestoredCopy,
  inspectServer,
  MOST_APART_MS,
  type NodeNeeds,
} from "../../db/index.ts";
import type { Clock } from "../../time/index.ts";
import { formatBytes } from "../progress-line.ts";
import { type Findings, reasonOf } from "./finding.ts";
import { selectBacklog } from "./sql/select-backlog.ts";

export interface DatabaseCheckOptions {
  readonly masterKey: string;
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  readonly needs: NodeNeeds;
  readonly longTransactionSeconds?: number;
  readonly backlogSeconds?: number;
}

const LONG_TRANSACTION_SECONDS = 600;
const BACKLOG_SECONDS = 300;
const CLOCK_FAULT_MS = 30_000;

/** As the administrator of a server that answers. */
export async function checkDatabase(client: Client, o: DatabaseCheckOptions, findings: Findings): Promise<void> {
  const askedAtMs = o.clock.now().getTime();
  const report = await inspectServer(client, {
    longTransactionSeconds: o.longTransactionSeconds ?? LONG_TRANSACTION_SECONDS,
    needs: o.needs,
  });
  const answeredAtMs = o.clock.now().getTime();
  const { health } = report;
  findings.ok("database", `PostgreSQL ${health.version}, ${o.isEmbedded ? "embedded" : "reached"}`);
  for (const fault of report.faults) {
    const why = "The service does not start on a database that lacks it.";
    findings.fault("database", {
      what: fault,
      why,
      advice: "Run the statement that is named, or use another database.",
    });
  }
  for (const warning of report.warnings) {
    const why = "A part of the service does not work, is slower, or is less safe like this.";
    findings.warn("database", { what: warning, why, advice: "Do what is named." });
  }
  judgeClock(compareClocks({ askedAtMs, answeredAtMs, serverMs: health.nowMs }), findings);
  judgeRights(health, findings);
  judgeLeftovers(health, findings);
  await judgeMigrations(client, findings);
  await judgeCopy(client, findings);
  await judgeBacklog(client, o.backlogSeconds ?? BACKLOG_SECONDS, findings);
  await judgeMasterKey(client, o.masterKey, findings);
}

type Health = Awaited<ReturnType<typeof inspectServer>>["health"];

function judgeClock({ apartMs, text }: ReturnType<typeof compareClocks>, findings: Findings): void {
  const complaint = {
    what: text,
    why: "Tokens, sessions and signatures are dated by one and judged by the other: sign-ins fail or last too long.",
    advice: "Let both machines keep time (chrony, systemd-timesyncd).",
  };
  if (apartMs > CLOCK_FAULT_MS) findings.fault("clock", complaint);
  else if (apartMs > MOST_APART_MS) findings.warn("clock", complaint);
  else findings.ok("clock", "agrees with the database's");
}

function judgeRights(health: Health, findings: Findings): void {
  if (health.missingRoles.length > 0) {
    findings.warn("roles", {
      what: `these roles are missing: ${health.missingRoles.join(", ")}`,
      why: "Requests are served with them.",
      advice: "swarmbase migrate makes them.",
    });
  }
  for (const right of health.excessiveRights) {
    findings.fault("roles", {
      what: `a role has more rights than it may: ${right}`,
      why: "The rows of one user could be read by another.",
      advice:
        "Take the right away: alter role <role> nosuperuser nobypassrls noreplication, or revoke service_role from sb_user.",
    });
  }
  if (!health.canReplicaReplicate) {
    findings.warn("roles", {
      what: "sb_replica may not replicate",
      why: "Realtime cannot follow the changes of the database.",
      advice: "As a superuser: alter role sb_replica replication; then restart the service.",
    });
  }
  const isFine = health.missingRoles.length + health.excessiveRights.length === 0 && health.canReplicaReplicate;
  if (isFine) findings.ok("roles", "there, with the rights they need and no others");
}

function judgeLeftovers(health: Health, findings: Findings): void {
  for (const { pid, seconds, what } of health.longTransactions) {
    findings.warn("transactions", {
      what: `a transaction has been open for ${seconds} seconds (process ${pid}: ${what})`,
      why: "It keeps dead rows from being removed and may hold locks that others wait for.",
      advice: `End it where it was begun, or: select pg_terminate_backend(${pid});`,
    });
  }
  if (health.preparedTransactions > 0) {
    findings.warn("transactions", {
      what: `${health.preparedTransactions} prepared transactions wait to be finished`,
      why: "They hold locks, also after a restart.",
      advice: "See pg_prepared_xacts; then: commit prepared or rollback prepared.",
    });
  }
  for (const { name, keptBytes } of health.idleSlots) {
    findings.warn("slots", {
      what: `nobody reads the replication slot ${name}; it holds back ${formatBytes(keptBytes)} of WAL`,
      why: "The WAL grows until the disk is full. Swarmbase itself uses temporary slots only.",
      advice: `If nothing needs it any more: select pg_drop_replication_slot('${name}');`,
    });
  }
}

async function judgeMigrations(client: Client, findings: Findings): Promise<void> {
  const { pending, unknown } = await compareMigrations(client);
  if (unknown.length > 0) {
    findings.fault("migrations", {
      what: `the database has migrations that this release does not know: ${unknown.join(", ")}`,
      why: "A newer release made it; an older one may misread or damage it.",
      advice: "Use the newer release, or restore a backup that was made before it.",
    });
  } else if (pending.length > 0) {
    findings.warn("migrations", {
      what: `${pending.length} migrations are waiting: ${pending.join(", ")}`,
      why: "They are applied when the service starts, and it serves only after that.",
      advice: "swarmbase backup, then swarmbase upgrade, at a time that suits you.",
    });
  } else {
    findings.ok("migrations", "none is waiting");
  }
}

async function judgeCopy(client: Client, findings: Findings): Promise<void> {
  const copy = await findRestoredCopy(client);
  if (copy === null) return;
  const origin = copy.backupOf === null ? "" : ` from the backup of ${copy.backupOf}`;
  findings.warn("copy", {
    what: `the database is a copy, restored at ${copy.restoredAt}${origin}`,
    why: "Webhook deliveries, agent runs and mails are held, because the original may still be at work.",
    advice: "If it is the original from now on: swarmbase resume",
  });
}

async function judgeBacklog(client: Client, mostSeconds: number, findings: Findings): Promise<void> {
  const backlog = await selectBacklog(client);
  if (backlog === null) return;
  const { waiting, oldestSeconds, eventsWaiting } = backlog;
  if (oldestSeconds <= mostSeconds)
    return findings.ok("webhooks", `${waiting} deliveries and ${eventsWaiting} events wait`);
  findings.warn("webhooks", {
    what: `${waiting} deliveries are due, the oldest since ${Math.round(oldestSeconds)} seconds`,
    why: "Receivers learn of what happened too late.",
    advice:
      "See that the service is running; if it is, raise WEBHOOK_CONCURRENCY or WEBHOOK_ENDPOINT_CONCURRENCY, or add a node.",
  });
}

/** Last, because it leaves the session as the schema's owner. */
async function judgeMasterKey(client: Client, masterKey: string, findings: Findings): Promise<void> {
  try {
    await checkMasterKey(client, masterKey);
    findings.ok("master key", "opens the keys in the database");
  } catch (error) {
    findings.fault("master key", {
      what: `the master key does not open the keys in the database: ${reasonOf(error)}`,
      why: "The service does not start: it could neither sign tokens nor read any stored secret.",
      advice: "Bring back the MASTER_KEY, or the master.key in DATA_DIR, that this database was made with.",
    });
  }
}
