import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Clock } from "../../../time/index.ts";
import {
  loadLocalMaterial,
  type LocalAuthority,
  readAuthorityFile,
  renewLocalMaterial,
} from "./load-local-material.ts";
import { TlsError, type TlsMaterial } from "./tls-material.ts";

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "no permission",
  EPERM: "no permission",
  EISDIR: "it is a folder",
};

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

async function loadOperatorMaterial(options: { certFile: string; keyFile: string; now: Date }): Promise<TlsMaterial> {
  const { certFile, keyFile, now } = options;
  const [cert, key] = await Promise.all([readNamed(certFile, "TLS_CERT_FILE"), readNamed(keyFile, "TLS_KEY_FILE")]);
  const certificate = parseCertificate(cert, certFile);
  const privateKey = parseKey(key, keyFile);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsError(
      `TLS_KEY_FILE (${keyFile}) does not belong to the first certificate in TLS_CERT_FILE (${certFile})`,
    );
  }
  const { validFromDate, validToDate } = certificate;
  if (validToDate <= now) throw new TlsError(`TLS_CERT_FILE (${certFile}) expired on ${validToDate.toISOString()}`);
  if (validFromDate > now) {
    throw new TlsError(`TLS_CERT_FILE (${certFile}) is not valid before ${validFromDate.toISOString()}`);
  }
  return { cert, key, nameCert: null, caFile: null };
}

async function readNamed(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new TlsError(`${setting}: cannot read ${file}: ${describe(error)}`, error);
  }
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new TlsError(`TLS_CERT_FILE (${file}) does not begin with a certificate in PEM form`, error);
  }
}

function parseKey(pem: string, file: string): KeyObject {
  if (/ENCRYPTED/.test(pem)) throw new TlsError(`TLS_KEY_FILE (${file}) is encrypted; give a key without a passphrase`);
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new TlsError(`TLS_KEY_FILE (${file}) is not a private key in PEM form`, error);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return READ_FAULTS[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message;
}
