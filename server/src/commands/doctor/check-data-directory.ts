import { randomBytes } from "node:crypto";
import { access, constants, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../../config/index.ts";
import {
  type DiskSpace,
  decideDiskLevel,
  findCluster,
  MAX_CLOCK_DIFFERENCE_MS,
  measureDisk,
  messageOf,
} from "../../db/index.ts";
import type { Clock } from "../../time/index.ts";
import { formatBytes } from "../progress-line.ts";
import type { Findings } from "./finding.ts";

const CHECK = "directory";
const SECRET_FILES = ["master.key", "credentials.json", "tls/ca-key.pem", "tls/localhost.pem"];

export async function checkDataDirectory(settings: Settings, clock: Clock, findings: Findings): Promise<void> {
  const { dataDir } = settings;
  const found = await stat(dataDir).catch(() => null);
  if (found === null) return findings.ok(CHECK, `${dataDir} does not exist yet; the first start creates it`);
  if (!found.isDirectory()) {
    return findings.fault(CHECK, {
      what: `${dataDir} is not a folder`,
      why: "The service keeps its database and keys there.",
      advice: "Set DATA_DIR to a folder.",
    });
  }
  const ownUid = process.getuid?.();
  const isOwner = ownUid === undefined || found.uid === ownUid;
  const fault = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).catch(messageOf);
  const isWritable = fault === undefined;
  if (!isOwner || !isWritable) {
    findings.fault(CHECK, {
      what: `${dataDir} belongs to the account ${found.uid}${isWritable ? "" : " and cannot be written to"}; this is ${ownUid ?? "another"}`,
      why: "PostgreSQL and the service do not work in a folder of another account.",
      advice: `Run the service as the account that owns it, or give it the folder: chown -R <account> ${dataDir}`,
    });
  }
  await judgeModes(dataDir, found.mode, findings);
  const cluster = await findCluster(dataDir).catch(() => null);
  if (cluster !== null && !cluster.home.startsWith(dataDir)) findings.ok(CHECK, `the database is in ${cluster.home}`);
  judgeDisk(await measureDisk(cluster?.home ?? dataDir), settings.diskWarningBytes, findings);
  if (isWritable) await judgeFileClock(dataDir, clock, findings);
}

async function judgeModes(dataDir: string, mode: number, findings: Findings): Promise<void> {
  if (process.platform === "win32") return;
  // As root, the account of the database may traverse the folder; no other account may read or write it.
  if ((mode & 0o066) !== 0) {
    findings.fault(CHECK, {
      what: `others can list or change ${dataDir} (mode ${(mode & 0o777).toString(8)})`,
      why: "It contains the database, and the key that decrypts every stored secret.",
      advice: `chmod go-rw ${dataDir}`,
    });
  }
  for (const name of SECRET_FILES) {
    const path = join(dataDir, name);
    const file = await stat(path).catch(() => null);
    if (file === null || (file.mode & 0o077) === 0) continue;
    findings.fault(CHECK, {
      what: `others can read ${path} (mode ${(file.mode & 0o777).toString(8)})`,
      why: "It is a secret: anybody who has it can read every row or act as any user.",
      advice: `chmod 600 ${path}, and if somebody may have read it: swarmbase keys rotate role, swarmbase keys rotate`,
    });
  }
}

export function judgeDisk(space: DiskSpace, warningBytes: number, findings: Findings): void {
  const what = `${formatBytes(space.freeBytes)} of ${formatBytes(space.totalBytes)} are free`;
  const problem = {
    what: `the disk is nearly full: ${what}`,
    why: "PostgreSQL stops when it cannot write its log, and starts again only when there is space.",
    advice: "Free some space, shorten WEBHOOK_RETENTION_DAYS, or move DATA_DIR to a larger disk.",
  };
  switch (decideDiskLevel(space, warningBytes)) {
    case "critical":
      return findings.fault("disk", problem);
    case "low":
      return findings.warn("disk", problem);
    case "ok":
      return findings.ok("disk", what);
  }
}

async function judgeFileClock(dataDir: string, clock: Clock, findings: Findings): Promise<void> {
  const probe = join(dataDir, `.doctor-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(probe, "", { mode: 0o600, flag: "wx" });
    const differenceMs = Math.abs((await stat(probe)).mtimeMs - clock.now().getTime());
    if (differenceMs > MAX_CLOCK_DIFFERENCE_MS) {
      findings.warn("clock", {
        what: `this machine's clock and that of the file system are ${Math.round(differenceMs / 1000)} seconds apart`,
        why: "Certificates, tokens and signatures are checked against this machine's clock.",
        advice: "Synchronise both clocks (chrony, systemd-timesyncd).",
      });
    }
  } catch (error) {
    findings.fault(CHECK, {
      what: `nothing can be written in ${dataDir}: ${messageOf(error)}`,
      why: "The service cannot start.",
      advice: "Check the disk, its quota, and whether it is mounted read-only.",
    });
  } finally {
    await rm(probe, { force: true });
  }
}
