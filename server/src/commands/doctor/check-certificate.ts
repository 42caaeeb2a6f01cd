import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import type { Settings } from "../../config/index.ts";
import type { Clock } from "../../time/index.ts";
import { messageOf, unlessMissing } from "../../db/index.ts";
import type { Findings } from "./finding.ts";

const CHECK = "certificate";
const DAY_MS = 86_400_000;
const SOON_DAYS = 21;
const AUTHORITY_SOON_DAYS = 90;
const NEW_AUTHORITY = "swarmbase certificate renew --new-authority";

export async function checkCertificate(settings: Settings, clock: Clock, findings: Findings): Promise<void> {
  const { tlsMode, tlsCertFile, tlsKeyFile, dataDir } = settings;
  if (tlsMode === "proxy") return findings.ok(CHECK, "the proxy in front of the service terminates TLS");
  if (tlsCertFile !== null && tlsKeyFile !== null) {
    await checkOperatorFiles({ certFile: tlsCertFile, keyFile: tlsKeyFile }, settings, clock, findings);
  } else {
    await checkLocalFiles(join(dataDir, "tls"), settings, clock, findings);
  }
}

async function checkOperatorFiles(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  settings: Settings,
  clock: Clock,
  findings: Findings,
): Promise<void> {
  let chain: X509Certificate[];
  let isFitting: boolean;
  try {
    chain = parseChain(await readFile(certFile, "utf8"));
    const key = createPrivateKey(await readFile(keyFile, "utf8"));
    isFitting = chain[0]?.checkPrivateKey(key) === true;
  } catch (error) {
    return findings.fault(CHECK, {
      what: `the certificate cannot be used: ${messageOf(error)}`,
      why: "The service does not start without it.",
      advice: `Put a PEM chain in ${certFile} (TLS_CERT_FILE) and its key without a passphrase in ${keyFile} (TLS_KEY_FILE).`,
    });
  }
  const [leaf] = chain;
  if (leaf === undefined || !isFitting) {
    return findings.fault(CHECK, {
      what: `the key in ${keyFile} does not belong to the first certificate in ${certFile}`,
      why: "The TLS handshake fails without the key of the certificate.",
      advice:
        "Put the certificate of the server first, the intermediate ones after it, and set TLS_KEY_FILE to its key.",
    });
  }
  judgeDates(leaf, clock, findings, "Renew it; a running service loads the new files within a minute.");
  judgeName(leaf, settings, findings);
  judgeChain(chain, findings);
  const { mode } = await stat(keyFile);
  if ((mode & 0o007) !== 0) {
    findings.warn(CHECK, {
      what: `all accounts of this machine can read ${keyFile}`,
      why: "Anybody with the key can impersonate this service.",
      advice: `chmod 600 ${keyFile}`,
    });
  }
}

async function checkLocalFiles(folder: string, settings: Settings, clock: Clock, findings: Findings): Promise<void> {
  const authorityText = await unlessMissing(readFile(join(folder, "ca-cert.pem"), "utf8"));
  const text = (await unlessMissing(readFile(join(folder, "localhost.pem"), "utf8"))) ?? "";
  if (authorityText === null) return findings.ok(CHECK, "none yet; the first start creates a local one");
  const authority = parseCertificate(authorityText);
  if (authority === null) {
    return findings.fault(CHECK, {
      what: `${join(folder, "ca-cert.pem")} is damaged`,
      why: "The service cannot renew its certificate, and does not replace an authority that clients may trust.",
      advice: `Restore the tls folder from a backup, or: ${NEW_AUTHORITY}, and give clients the new ca-cert.pem.`,
    });
  }
  if (!judgeAuthority(authority, clock, findings)) return;
  const leaf = parseCertificate(text.slice(Math.max(0, text.indexOf("-----BEGIN CERTIFICATE-----"))));
  if (leaf === null) return warnMadeAgain(`the local certificate in ${folder} is missing or damaged`, findings);
  if (!isKeyOf(text, leaf))
    return warnMadeAgain(`the key in ${folder}/localhost.pem is not that of its certificate`, findings);
  if (!leaf.checkIssued(authority) || !leaf.verify(authority.publicKey)) {
    return warnMadeAgain(`the local certificate in ${folder} is not signed by the authority beside it`, findings);
  }
  judgeDates(leaf, clock, findings, "Start the service: it renews its local certificate.");
  judgeName(leaf, settings, findings);
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

/** Returns false when the service does not start with the authority, so that further checks are pointless. */
function judgeAuthority({ validFromDate, validToDate }: X509Certificate, clock: Clock, findings: Findings): boolean {
  const now = clock.now();
  const leftDays = Math.floor((validToDate.getTime() - now.getTime()) / DAY_MS);
  const period = `it is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`;
  const advice = `Check this machine's clock. If it is right: ${NEW_AUTHORITY}, and give clients the new ca-cert.pem.`;
  if (now < validFromDate || now > validToDate) {
    findings.fault(CHECK, {
      what: `by this machine's clock (${now.toISOString()}) the local authority is not valid: ${period}`,
      why: "Clients reject its certificates, and the service does not replace an authority that clients may trust.",
      advice,
    });
    return false;
  }
  if (leftDays < AUTHORITY_SOON_DAYS) {
    const why = "Then clients reject its certificates, and the service does not start.";
    findings.warn(CHECK, { what: `the local authority expires in ${leftDays} days; ${period}`, why, advice });
  }
  return true;
}

function isKeyOf(pem: string, leaf: X509Certificate): boolean {
  try {
    return leaf.checkPrivateKey(createPrivateKey(pem));
  } catch {
    return false;
  }
}

function warnMadeAgain(what: string, findings: Findings): void {
  findings.warn(CHECK, {
    what,
    why: "The next start creates a new one. Clients that trust the authority are not affected.",
    advice: "Start the service, or restore the tls folder from a backup.",
  });
}

export function judgeDates(leaf: X509Certificate, clock: Clock, findings: Findings, advice: string): void {
  const { validFromDate, validToDate } = leaf;
  const nowMs = clock.now().getTime();
  const leftDays = Math.floor((validToDate.getTime() - nowMs) / DAY_MS);
  const until = validToDate.toISOString().slice(0, 10);
  if (validToDate.getTime() <= nowMs) {
    const why = "Clients reject it, and the service does not start with it.";
    findings.fault(CHECK, { what: `the certificate expired on ${until}`, why, advice });
  } else if (validFromDate.getTime() > nowMs) {
    const what = `the certificate is not valid before ${validFromDate.toISOString()}`;
    findings.fault(CHECK, { what, why: "Clients reject it.", advice: "Check this machine's clock, or wait." });
  } else if (leftDays < SOON_DAYS) {
    const why = "Clients reject it after that.";
    findings.warn(CHECK, { what: `the certificate expires in ${leftDays} days, on ${until}`, why, advice });
  } else {
    findings.ok(CHECK, `valid until ${until}`);
  }
}

function judgeName(leaf: X509Certificate, { publicUrl }: Settings, findings: Findings): void {
  if (publicUrl === null) return;
  const name = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  if ((isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined) return;
  findings.fault(CHECK, {
    what: `the certificate is not for ${name}, the name in PUBLIC_URL (it is for ${leaf.subjectAltName ?? "no name"})`,
    why: "Clients that verify the host name, as all should, do not connect.",
    advice: "Get a certificate for that name (TLS_CERT_FILE, TLS_KEY_FILE), or set PUBLIC_URL to a name it has.",
  });
}

/** A server must send the intermediate certificates; browsers sometimes find them elsewhere, programs do not. */
function judgeChain(chain: readonly X509Certificate[], findings: Findings): void {
  const last = chain.at(-1);
  const broken = chain.find((certificate, place) => {
    const next = chain[place + 1];
    return next !== undefined && !certificate.checkIssued(next);
  });
  const isRooted = last !== undefined && (last.issuer === last.subject || isKnownRoot(last));
  if (broken === undefined && isRooted) return;
  findings.warn(CHECK, {
    what:
      broken === undefined
        ? `the chain ends at an issuer that clients may not know: ${oneLine(last?.issuer)}`
        : "the chain is out of order",
    why: "Programs that do not know the issuer do not connect, even if browsers do.",
    advice:
      "Put the intermediate certificates into TLS_CERT_FILE, after that of the server, each before its issuer. Clients have to trust a private authority explicitly.",
  });
}

function isKnownRoot(certificate: X509Certificate): boolean {
  return rootCertificates.some((pem) => certificate.checkIssued(new X509Certificate(pem)));
}

function parseChain(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("it contains no certificate");
  return blocks.map((block) => new X509Certificate(block));
}

function oneLine(text: string | undefined): string {
  return (text ?? "").replaceAll("\n", ", ");
}
