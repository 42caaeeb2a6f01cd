import { resolve } from "node:path";
import type { Clock } from "../../../time/index.ts";
import {
  type LocalAuthority,
  loadLocalMaterial,
  readAuthorityFile,
  renewLocalMaterial,
} from "./load-local-material.ts";
import { loadOperatorMaterial } from "./load-operator-material.ts";
import { TlsError, type TlsMaterial } from "./tls-material.ts";

export interface LoadTlsMaterialOptions {
  dataDir: string;
  certFile: string | null;
  keyFile: string | null;
  clock: Clock;
}

export async function loadTlsMaterial(options: LoadTlsMaterialOptions): Promise<TlsMaterial> {
  const { dataDir, certFile, keyFile, clock } = options;
  if (certFile === null && keyFile === null) return loadLocalMaterial(localFolder(dataDir), clock.now());
  if (certFile === null) throw new TlsError("TLS_KEY_FILE is set, but TLS_CERT_FILE is not: give both or neither");
  if (keyFile === null) throw new TlsError("TLS_CERT_FILE is set, but TLS_KEY_FILE is not: give both or neither");
  return loadOperatorMaterial({ certFile, keyFile, now: clock.now() });
}

/** Renews the local certificate. A running service uses the new one within a minute. */
export function renewLocalCertificate(options: {
  readonly dataDir: string;
  readonly now: Date;
  readonly hasNewAuthority: boolean;
}): Promise<{ readonly caFile: string }> {
  return renewLocalMaterial(localFolder(options.dataDir), options);
}

export function readLocalAuthority(dataDir: string): Promise<LocalAuthority | null> {
  return readAuthorityFile(localFolder(dataDir));
}

function localFolder(dataDir: string): string {
  return resolve(dataDir, "tls");
}
