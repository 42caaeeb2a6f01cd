import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deriveKey, derivePassword } from "../crypto/index.ts";
import {
  findServerUrl,
  KEPT_FILES,
  MASTER_KEY_FILE,
  REPLICA_ROLE,
  readBaseBackup,
  removeAbandonedDrafts,
  throwAwayPath,
  unlessMissing,
  withRole,
} from "../db/index.ts";
import type { ExtensionServer } from "./server-port.ts";

interface DescribeServerOptions {
  readonly extension: string;
  readonly masterKey: string;
  readonly dataDir: string;
  readonly server: { readonly adminUrl: string; readonly directUrl: string; readonly isEmbedded: boolean };
}

export function describeServer({ extension, masterKey, dataDir, server }: DescribeServerOptions): ExtensionServer {
  const replicationUrl = withRole(server.directUrl, REPLICA_ROLE, derivePassword(masterKey, REPLICA_ROLE));
  return {
    replicationUrl,
    adminUrl: server.adminUrl,
    isEmbedded: server.isEmbedded,
    locate: async () => {
      const [adminUrl, directUrl] = await Promise.all([
        findServerUrl(server.adminUrl),
        findServerUrl(server.directUrl),
      ]);
      return describeServer({ extension, masterKey, dataDir, server: { ...server, adminUrl, directUrl } });
    },
    readBaseBackup: ({ signal, onPosition }) =>
      readBaseBackup({ url: replicationUrl, signal, includesWal: false, onPosition, onTotal: () => {} }),
    removeAbandonedCopies: (folder) => removeAbandonedDrafts(throwAwayPath(dataDir, folder)),
    deriveKey: (purpose) => deriveKey(masterKey, `extension:${extension}:${purpose}`),
    readKeptFiles: async () => {
      const files: Record<string, Buffer> = {};
      for (const path of KEPT_FILES.filter((kept) => kept !== MASTER_KEY_FILE)) {
        const content = await unlessMissing(readFile(join(dataDir, path)));
        if (content !== null) files[path] = content;
      }
      return files;
    },
  };
}
