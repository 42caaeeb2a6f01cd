import {
  type Backups,
  type ReplicationSlot,
  type ServiceNode,
  useServiceNodes,
} from "../../../data/operator-operations.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { formatBytes, formatCount, formatExact } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { Facts } from "../../../components/facts.tsx";

export function NodesPage() {
  const { rows: state, ...read } = useServiceNodes();
  return (
    <>
      <PageHeader
        title="Nodes and backups"
        description="The processes of the service, the change feed, and to when the database can be restored."
      />
      {state === undefined ? (
        <NotLoaded title="The nodes could not be loaded" read={read} skeleton={<CardsSkeleton />} />
      ) : (
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
          <Processes nodes={state.nodes} />
          <BackupCard backups={state.backups} />
          <Slots slots={state.slots} />
        </div>
      )}
    </>
  );
}

const LIST = "divide-y divide-line rounded-md border border-line";
const ITEM = "grid gap-1 px-3 py-2.5";

function Processes({ nodes }: { readonly nodes: readonly ServiceNode[] }) {
  return (
    <CardSection
      title="Processes"
      description="Each reports every 15 seconds; those that have ended are listed for an hour."
      className="lg:col-span-2"
    >
      <ul className={LIST}>
        {nodes.map((node) => (
          <li key={node.node} className={ITEM}>
            <div className="flex flex-wrap items-center gap-2">
              <span className="min-w-0 font-mono text-sm wrap-anywhere">{node.node}</span>
              {node.is_live ? <Badge tone="good">Running</Badge> : <Badge>Ended</Badge>}
              {node.is_worker === true && <Badge>Worker process</Badge>}
            </div>
            <div className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm text-ink-soft">
              {node.version !== undefined && <span>Version {node.version}</span>}
              {node.started_at !== undefined && (
                <span>
                  started <RelativeTime at={node.started_at} />
                </span>
              )}
              <span>
                seen <RelativeTime at={node.seen_at} />
              </span>
              {node.roles !== undefined && <span>{node.roles.join(", ")}</span>}
              {node.memory_bytes !== undefined && <span>{formatBytes(node.memory_bytes)} of memory</span>}
            </div>
          </li>
        ))}
      </ul>
    </CardSection>
  );
}

const USES: Readonly<Record<ReplicationSlot["use"], string>> = {
  feed: "Change feed",
  backup: "Backup",
  other: "Another reader",
};

function Slots({ slots }: { readonly slots: readonly ReplicationSlot[] }) {
  return (
    <CardSection
      title="Readers of changes"
      description={
        slots.length === 0
          ? "Nobody reads the changes of the database. Realtime needs the change feed."
          : "How far each is behind the database."
      }
    >
      {slots.length > 0 && (
        <ul className={LIST}>
          {slots.map((slot) => (
            <li key={slot.name} className={ITEM}>
              <div className="flex flex-wrap items-center gap-2">
                <span>{USES[slot.use]}</span>
                {slot.is_active ? <Badge tone="good">Connected</Badge> : <Badge tone="bad">Not connected</Badge>}
              </div>
              <div className="flex flex-wrap gap-x-4 text-sm text-ink-soft">
                <span className="font-mono wrap-anywhere">{slot.name}</span>
                {slot.lag_bytes !== null && <span>{formatBytes(slot.lag_bytes)} behind</span>}
                {slot.kept_bytes !== null && <span>{formatBytes(slot.kept_bytes)} kept on disk</span>}
              </div>
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function BackupCard({ backups }: { readonly backups: Backups }) {
  if (backups.target === null)
    return (
      <CardSection title="Backups" action={<Badge tone="bad">Not configured</Badge>}>
        <p className="text-pretty text-ink-soft">
          The service archives nothing.{" "}
          {backups.is_loaded
            ? "Set BACKUP_DIR to a folder on another disk, or BACKUP_S3_URL to a bucket, and start the service again."
            : "Add backup to EXTENSIONS, set BACKUP_DIR to a folder on another disk, or BACKUP_S3_URL to a bucket, and start the service again."}
        </p>
      </CardSection>
    );
  const { state } = backups;
  const keptBytes = state?.kept_bytes ?? null;
  return (
    <CardSection
      title="Backups"
      description="Base backups and the write-ahead log, continuously. A verification restores the archive in a temporary database, and compares it."
      action={<Badge tone={isHealthy(state) ? "good" : "bad"}>{describeState(state)}</Badge>}
    >
      <Facts
        rows={[
          ["Target", backups.target],
          ["Can be restored to", showRestorable(state)],
          ["Last base backup", showTime(state?.base_at)],
          [
            "Schedule",
            `a base backup every ${showHours(backups.base_interval_seconds)}, changes after ${backups.wal_interval_seconds} s`,
          ],
          ["Last verification", showVerification(backups)],
          ["Base backups kept", backups.kept_bases],
          ["Not archived yet", keptBytes === null ? "not known" : formatBytes(keptBytes)],
          ["Archived by", backups.node ?? "no process of the service"],
          ["Failures", showFailures(state)],
        ]}
      />
    </CardSection>
  );
}

function showRestorable(state: Backups["state"]) {
  const { restorable_from: from = null, archived_at: until = null } = state ?? {};
  if (from === null || until === null) return "not known yet; swarmbase doctor reads the archive";
  return (
    <>
      any time from {formatExact(from)} until {formatExact(until)} (<RelativeTime at={until} />)
    </>
  );
}

function showFailures(state: Backups["state"]) {
  if (state === null) return "not known";
  if (state.failed_at === null) return "none since the process started";
  return (
    <>
      {formatCount(state.failures)} since the process started, the last <RelativeTime at={state.failed_at} />.{" "}
      <Link to="/operator/logs?q=extension.failed">Log lines</Link>
    </>
  );
}

function showHours(seconds: number | null): string {
  return `${Math.round((seconds ?? 0) / 360) / 10} h`;
}

function isHealthy(state: Backups["state"]): boolean {
  return state !== null && state.failures === 0 && state.verification?.is_ok !== false;
}

function describeState(state: Backups["state"]): string {
  if (state === null) return "No report";
  if (state.verification?.is_ok === false) return "Verification failed";
  return state.failures === 0 ? "Archiving" : "Has failed";
}

function showVerification({ state, verify_interval_seconds: seconds }: Backups) {
  const { verification = null, verified_at: verifiedAt = null } = state ?? {};
  const schedule =
    (seconds ?? 0) === 0 ? "set BACKUP_VERIFY_INTERVAL_SECONDS for a schedule" : `every ${showHours(seconds)}`;
  if (verification === null) return `none is known; ${schedule}`;
  return (
    <>
      {verification.is_ok ? "succeeded" : "failed"} <RelativeTime at={verification.at} />
      {!verification.is_ok && verifiedAt !== null && (
        <>
          , succeeded before <RelativeTime at={verifiedAt} />
        </>
      )}
      ; {schedule}
    </>
  );
}

function showTime(at: string | null | undefined) {
  return at === null || at === undefined ? "not known" : <RelativeTime at={at} />;
}
