// In charge of: the PostgreSQL server (embedded or external), roles, migrations, pools, transactions as a principal,
// notification channels, and the errors that mean that the database is unavailable.
// Not in charge of: what a statement is for; the modules above keep their own SQL.

export { readCallRejection, toCallRejection } from "./call-rejection.ts";
export { compareMigrations, type MigrationComparison } from "./compare-migrations.ts";
export { connectClient, findServerUrl, withClient } from "./connect-client.ts";
export { withDatabase, withRole } from "./connection.ts";
export type { DatabaseFault } from "./create-probe.ts";
export { CommitWatch } from "./commit-watch.ts";
export { countConnections, type Database, openDatabase, watchDatabase } from "./database.ts";
export type { NodeNeeds } from "./decide-requirements.ts";
export { DiskReserve } from "./disk-reserve.ts";
export { readBaseBackup } from "./embedded/read-base-backup.ts";
export { tryPort } from "./embedded/choose-port.ts";
export { isDataDirectoryLocked, lockDataDirectory } from "./embedded/data-directory-lock.ts";
export { removeAbandonedDrafts, throwAwayPath, withDraft } from "./embedded/draft-copies.ts";
export { messageOf, unlessMissing } from "./embedded/embedded-error.ts";
export { KEPT_FILES, MASTER_KEY_FILE } from "./embedded/kept-files.ts";
export { locateBinaries } from "./embedded/locate-binaries.ts";
export { hasEmbeddedCluster } from "./embedded/location-record.ts";
export { type ClusterPlace, prepareCopy } from "./embedded/place-cluster.ts";
export { isProcessAlive } from "./embedded/process-state.ts";
export { type RecoveryTarget, recoverCluster } from "./embedded/recover-cluster.ts";
export { listInstallation, removeInstallation } from "./embedded/remove-installation.ts";
export { measureMachine } from "./embedded/size-memory.ts";
export { startEmbedded } from "./embedded/start-embedded.ts";
export { findCluster, findLastPort, readClusterMajor, withStoppedCluster } from "./embedded/stopped-cluster.ts";
export { upgradeCluster } from "./embedded/upgrade-cluster.ts";
export { DatabaseClient } from "./hosts/database-client.ts";
export { inTransaction } from "./in-transaction.ts";
export { holdSchemaLevels } from "./hold-schema-levels.ts";
export { migrate } from "./migrate.ts";
export { writeSettings } from "./sql/write-settings.ts";
export { newRowId } from "./new-row-id.ts";
export { createNotificationChannel, type NotificationChannel } from "./notification-channel.ts";
export {
  buildOwnerUrl,
  buildServerAdminUrl,
  type DatabaseServer,
  EMBEDDED_DATABASE,
  findNeeds,
  openServer,
} from "./open-server.ts";
export { isKeyUsed, readKeptResult, SELECT_KEPT_RESULT } from "./kept-result.ts";
export { openMasterKey } from "./open-master-key.ts";
export { keepPartitions, type PartitionedTable } from "./partitions/keep-partitions.ts";
export { responseTooLargeError } from "./response-too-large.ts";
export { hasWebhookWork, runPipelined, type TransactionOptions } from "./run-pipelined.ts";
export { OWNER_ROLE, REPLICA_ROLE } from "./plan-roles.ts";
export {
  ANON_PRINCIPAL,
  type Claims,
  type DatabaseRole,
  databaseRoleOf,
  type Principal,
  type PrincipalForUser,
  type PrincipalSession,
  SERVICE_PRINCIPAL,
  type UserPrincipal,
} from "./principal.ts";
export type { Queryable } from "./queryable.ts";
export { checkRequirements, inspectServer, MAX_CLOCK_DIFFERENCE_MS, type ServerReport } from "./requirements.ts";
export type { ExtensionSchema } from "./schema/extension-schemas.ts";
export { withScratchDatabase } from "./with-scratch-database.ts";
export { findMaxConnections, openHookPool, openServicePool } from "./service-pool.ts";
export {
  apiKeyIdOf,
  hasScope,
  hiddenColumnsOf,
  insufficientScopeError,
  isPortal,
  keyNotAllowedError,
  type KeyScope,
  portalError,
  readsAll,
  rejectPortal,
  requireKeyScope,
  requireScope,
} from "./key-scopes.ts";
export { buildScope, type TransactionScope, transactionScopeOf, shareKeyOf } from "./scope.ts";
export { hasTable } from "./sql/has-table.ts";
export { clearRestoredCopy, findRestoredCopy, markRestoredCopy, type RestoredCopy } from "./sql/restored-copy.ts";
export { type ServerHealth, selectServerHealth } from "./sql/select-server-health.ts";
export {
  type DiskSpace,
  decideDiskLevel,
  measureDisk,
  measureStorage,
  type Storage,
  watchStorage,
} from "./storage.ts";
export { databaseAway, translateConflict, translateUnavailable } from "./unavailable.ts";
