import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../../crypto/index.ts";
import { type Credential, findAuthorityName, type Leaf, makeAuthority, makeLeaf, toPem } from "./certificate.ts";
import { TlsError, type TlsMaterial } from "./tls-material.ts";

const DAY_MS = 86_400_000;
/** Certificates are valid this much earlier, for machines whose clocks are wrong by a day: at the first start, or later. */
const EARLIER_MS = 2 * DAY_MS;
const AUTHORITY_DAYS = 3650;
// Browsers reject certificates that are valid for longer than 398 days.
const LEAF_DAYS = 397;
const RENEW_BEFORE_DAYS = 30;
const AUTHORITY_FILE = "ca-cert.pem";
const RENEW_COMMAND = "swarmbase certificate renew --new-authority";

interface LocalFiles {
  readonly authorityCert: string;
  readonly authorityKey: string;
  readonly leaf: string;
}

/** As it was read, possibly damaged. */
interface StoredLeaf extends Credential {
  readonly nameCert: string | null;
}

/**
 * The leaf is one file with key and certificates, the authority two: clients need its certificate alone. Each file is replaced
 * as a whole, the authority's key before its certificate. A leaf of an earlier release has no certificate for the name alone; it is
 * renewed if the authority can sign.
 *
 * The leaf is renewed without asking, because clients trust the authority and not the leaf. An authority that is there is never
 * replaced: clients may trust it, and a wrong clock makes a good one look expired.
 */
export async function loadLocalMaterial(folder: string, now: Date): Promise<TlsMaterial> {
  return withFolder(folder, async (files) => {
    const authority = await readAuthority(files);
    const leaf = splitLeaf(await readIfPresent(files.leaf));
    const caFile = files.authorityCert;
    if (leaf.nameCert !== null && isServable(leaf, authority.cert, now, RENEW_BEFORE_DAYS)) return { ...leaf, caFile };
    if (authority.cert === "") return { ...(await storeLeaf(files, await storeAuthority(files, now), now)), caFile };
    const fault = findAuthorityFault(authority, files, now);
    if (fault === null) return { ...(await storeLeaf(files, authority, now)), caFile };
    if (isServable(leaf, authority.cert, now, 0)) return { ...leaf, caFile };
    throw new TlsError(fault);
  });
}

/** Creates a leaf, and an authority when there is none or on request. Returns the file that clients trust. */
export async function renewLocalMaterial(
  folder: string,
  { now, hasNewAuthority }: { readonly now: Date; readonly hasNewAuthority: boolean },
): Promise<{ readonly caFile: string }> {
  return withFolder(folder, async (files) => {
    const known = await readAuthority(files);
    const fault = hasNewAuthority || known.cert === "" ? null : findAuthorityFault(known, files, now);
    if (fault !== null) throw new TlsError(fault);
    const authority = hasNewAuthority || known.cert === "" ? await storeAuthority(files, now) : known;
    await storeLeaf(files, authority, now);
    return { caFile: files.authorityCert };
  });
}

export interface LocalAuthority {
  readonly file: string;
  readonly name: string;
  readonly certificate: X509Certificate;
}

/** Returns null before the first start. Throws for a file that this program did not write, because a machine is about to trust it. */
export async function readAuthorityFile(folder: string): Promise<LocalAuthority | null> {
  const file = join(folder, AUTHORITY_FILE);
  const text = await readIfPresent(file);
  if (text === "") return null;
  try {
    const certificate = new X509Certificate(text);
    const name = findAuthorityName(certificate);
    // A second certificate in the file would be trusted too.
    if (name !== null && toPem(certificate.raw) === text) return { file, name, certificate };
  } catch {
    // What cannot be read is not an authority either.
  }
  throw new TlsError(`${file} is not the certificate of an authority that Swarmbase created. Nothing was changed.`);
}

async function withFolder<T>(folder: string, work: (files: LocalFiles) => Promise<T>): Promise<T> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    return await work({
      authorityCert: join(folder, AUTHORITY_FILE),
      authorityKey: join(folder, "ca-key.pem"),
      leaf: join(folder, "localhost.pem"),
    });
  } catch (error) {
    if (error instanceof TlsError) throw error;
    throw new TlsError(`Cannot keep the local certificate in ${folder}: ${messageOf(error)}`, error);
  }
}

async function readAuthority(files: LocalFiles): Promise<Credential> {
  return { cert: await readIfPresent(files.authorityCert), key: await readIfPresent(files.authorityKey) };
}

async function storeAuthority(files: LocalFiles, now: Date): Promise<Credential> {
  const authority = makeAuthority(validFor(AUTHORITY_DAYS, now));
  await replaceFile(files.authorityKey, authority.key, 0o600);
  await replaceFile(files.authorityCert, authority.cert, 0o644);
  return authority;
}

async function storeLeaf(files: LocalFiles, authority: Credential, now: Date): Promise<Leaf> {
  const { notBefore, notAfter } = validFor(LEAF_DAYS, now);
  const { validToDate: authorityEnd } = new X509Certificate(authority.cert);
  const leaf = makeLeaf(authority, { notBefore, notAfter: notAfter < authorityEnd ? notAfter : authorityEnd });
  await replaceFile(files.leaf, leaf.key + leaf.cert + leaf.nameCert, 0o600);
  return leaf;
}

function validFor(days: number, now: Date): { notBefore: Date; notAfter: Date } {
  const startMs = now.getTime() - EARLIER_MS;
  return { notBefore: new Date(startMs), notAfter: new Date(startMs + days * DAY_MS) };
}

/** A leaf that expires with its authority cannot be extended, so it is served until then. */
function isServable(leaf: StoredLeaf, authorityCert: string, now: Date, daysLeft: number): boolean {
  return holds(() => {
    const key = createPrivateKey(leaf.key);
    const issuer = new X509Certificate(authorityCert);
    return [leaf.cert, leaf.nameCert ?? leaf.cert].every((pem) => {
      const certificate = new X509Certificate(pem);
      const isLastOfIssuer = certificate.validToDate >= issuer.validToDate;
      return (
        certificate.checkPrivateKey(key) &&
        certificate.checkIssued(issuer) &&
        certificate.verify(issuer.publicKey) &&
        isValidFor(certificate, isLastOfIssuer ? 0 : daysLeft, now) &&
        isValidFor(issuer, 0, now)
      );
    });
  });
}

/** Returns null when the authority can sign a leaf now, otherwise a message for the operator. */
function findAuthorityFault(authority: Credential, files: LocalFiles, now: Date): string | null {
  const { authorityCert: certFile, authorityKey: keyFile } = files;
  const replace =
    `to replace the authority, run: ${RENEW_COMMAND}. Clients that trust the old ca-cert.pem then have to be given the ` +
    "new one. Nothing was changed.";
  const restore = `Bring it back from a backup, or, ${replace}`;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(authority.cert);
  } catch {
    return `The certificate of the local authority, ${certFile}, is damaged. ${restore}`;
  }
  if (!certificate.ca) return `${certFile} is not the certificate of an authority. ${restore}`;
  if (now < certificate.validFromDate || now > certificate.validToDate) {
    const [from, to] = [certificate.validFromDate.toISOString(), certificate.validToDate.toISOString()];
    const what = now < certificate.validFromDate ? "is not valid yet" : "has expired";
    return (
      `By this machine's clock (${now.toISOString()}) the local certificate authority ${what}: ${certFile} is valid from ` +
      `${from} to ${to}. If the clock is wrong, correct it and start again. If it is right, ${replace}`
    );
  }
  if (authority.key === "") return `The key of the local certificate authority, ${keyFile}, is missing. ${restore}`;
  if (!holds(() => certificate.checkPrivateKey(createPrivateKey(authority.key))))
    return `The key in ${keyFile} is damaged or does not belong to ${certFile}. ${restore}`;
  return null;
}

function isValidFor(certificate: X509Certificate, days: number, now: Date): boolean {
  return certificate.validFromDate <= now && certificate.validToDate.getTime() >= now.getTime() + days * DAY_MS;
}

/** Damaged files make the parsers throw. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function splitLeaf(text: string): StoredLeaf {
  const [key = "", cert, nameCert] = text.split(/(?=-----BEGIN CERTIFICATE-----)/);
  return { key, cert: cert ?? "", nameCert: nameCert ?? null };
}

async function readIfPresent(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
