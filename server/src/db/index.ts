// In charge of: the PostgreSQL server (embedded or external), roles, migrations, pools, pipelined transactions as a caller,
// notification channels, and the errors that mean that the database is unavailable.
// Not in charge of: what a statement is for; the modules above keep their own SQL.

export { compareMigrations, type MigrationComparison } from "./compare-migrations.ts";
export { connectClient } from "./connect-client.ts";
export { withDatabase, withRole } from "./connection.ts";
export type { DatabaseFault } from "./create-probe.ts";
export { type Database, openDatabase } from "./database.ts";
export { readBaseBackup } from "./embedded/base-backup.ts";
export { holdDataDirectory, isDataDirectoryHeld } from "./embedded/hold-data-directory.ts";
export { locateBinaries } from "./embedded/locate-binaries.ts";
export { listInstallation, removeInstallation } from "./embedded/remove-installation.ts";
export { isProcessAlive } from "./embedded/process-state.ts";
export {
  findCluster,
  findLastPort,
  readClusterMajor,
  withRestingCluster,
} from "./embedded/resting-cluster.ts";
export { removeSettledCluster, type SettledCluster, settleCluster } from "./embedded/settle-cluster.ts";
export { startEmbedded } from "./embedded/start-embedded.ts";
export { upgradeCluster } from "./embedded/upgrade-cluster.ts";
export { hasEmbeddedCluster } from "./has-embedded-cluster.ts";
export { compareClocks, MOST_APART_MS } from "./clock-difference.ts";
export { inTransaction } from "./in-transaction.ts";
export { inspectServer } from "./inspect-server.ts";
export { migrate } from "./migrate.ts";
export type { ExtensionSchema } from "./schema/extension-schemas.ts";
export { newRowId } from "./new-row-id.ts";
export { createNotificationChannel, type NotificationChannel } from "./notification-channel.ts";
export {
  buildOwnerUrl,
  type DatabaseServer,
  EMBEDDED_DATABASE,
  findEmbeddedWarnings,
  findNeeds,
  openServer,
} from "./open-server.ts";
export { REPLICA_ROLE } from "./plan-roles.ts";
export { failedStatementOf } from "./pipeline/pipelined-transaction.ts";
export type {
  TransactionOptions,
  StatementResult,
  TextRow,
  PipelinedStatement,
} from "./pipeline/transaction-request.ts";
export { runPipelined } from "./pipeline/run-pipelined.ts";
export type { StatementValue } from "./pipeline/value-text.ts";
export {
  ANON_PRINCIPAL,
  type Claims,
  type Principal,
  type PrincipalSession,
  SERVICE_PRINCIPAL,
  type UserPrincipal,
} from "./principal.ts";
export { buildScope, type Scope, scopeOf } from "./scope.ts";
export { clearRestoredCopy, findRestoredCopy, markRestoredCopy, type RestoredCopy } from "./sql/restored-copy.ts";
export type { NodeNeeds } from "./decide-requirements.ts";
export { type DiskSpace, decideDiskLevel, measureDisk, measureStorage, type Storage } from "./storage.ts";
export { databaseAway, isUnavailable, translateUnavailable } from "./unavailable.ts";
export { watchDatabase } from "./watch-database.ts";
export { watchStorage } from "./watch-storage.ts";
