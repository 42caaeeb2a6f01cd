import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { TlsError, type TlsMaterial } from "./tls-material.ts";

export async function loadOperatorMaterial(options: {
  certFile: string;
  keyFile: string;
  now: Date;
}): Promise<TlsMaterial> {
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

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "no permission",
  EPERM: "no permission",
  EISDIR: "it is a folder",
};

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return READ_FAULTS[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message;
}
