import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import type { Settings } from "../../config/index.ts";
import type { Clock } from "../../time/index.ts";
import { type Findings, reasonOf } from "./finding.ts";

const CHECK = "certificate";
const DAY_MS = 86_400_000;
const SOON_DAYS = 21;
const AUTHORITY_SOON_DAYS = 90;
const NEW_AUTHORITY = "swarmbase certificate renew --new-authority";

export async function checkCertificate(settings: Settings, clock: Clock, findings: Findings): Promise<void> {
  const { tlsMode, tlsCertFile, tlsKeyFile, dataDir } = settings;
  if (tlsMode === "proxy") return findings.ok(CHECK, "TLS ends at the proxy in front of the service");
  if (tlsCertFile !== null && tlsKeyFile !== null) {
    await checkOperatorFiles({ certFile: tlsCertFile, keyFile: tlsKeyFile }, settings, clock, findings);
  } else {
    await checkLocalFiles(join(dataDir, "tls"), settings, clock, findings);
  }
}

interface Files {
  readonly certFile: string;
  readonly keyFile: string;
}

async function checkOperatorFiles(files: Files, settings: Settings, clock: Clock, findings: Findings): Promise<void> {
  const { certFile, keyFile } = files;
  let chain: X509Certificate[];
  let isFitting: boolean;
  try {
    chain = parseChain(await readFile(certFile, "utf8"));
    const key = createPrivateKey(await readFile(keyFile, "utf8"));
    isFitting = chain[0]?.checkPrivateKey(key) === true;
  } catch (error) {
    return findings.fault(CHECK, {
      what: `the certificate cannot be used: ${reasonOf(error)}`,
      why: "The service does not start without it.",
      advice: `Put a PEM chain in ${certFile} (TLS_CERT_FILE) and its key without a passphrase in ${keyFile} (TLS_KEY_FILE).`,
    });
  }
  const [leaf] = chain;
  if (leaf === undefined || !isFitting) {
    return findings.fault(CHECK, {
      what: `the key in ${keyFile} does not belong to the first certificate in ${certFile}`,
      why: "No client can connect with a certificate that the service cannot prove to hold.",
      advice:
        "Put the server's own certificate first, the intermediate ones after it, and the key it was made with beside it.",
    });
  }
  judgeDates(leaf, clock, findings, "Renew it; a running service takes up the new files within a minute.");
  judgeName(leaf, settings, findings);
  judgeChain(chain, findings);
  const { mode } = await stat(keyFile);
  if ((mode & 0o007) !== 0) {
    findings.warn(CHECK, {
      what: `everybody on this machine can read ${keyFile}`,
      why: "Whoever has the key can pose as this service.",
      advice: `chmod 600 ${keyFile}`,
    });
  }
}

async function checkLocalFiles(folder: string, settings: Settings, clock: Clock, findings: Findings): Promise<void> {
  const [authorityText, text] = await Promise.all(["ca-cert.pem", "localhost.pem"].map((name) => read(folder, name)));
  if (authorityText === null || authorityText === undefined)
    return findings.ok(CHECK, "none yet; a local one is made on the first start");
  const authority = parseCertificate(authorityText);
  if (authority === null) {
    return findings.fault(CHECK, {
      what: `${join(folder, "ca-cert.pem")} is damaged`,
      why: "The service cannot renew its certificate, and does not replace an authority that clients may trust.",
      advice: `Bring the tls folder back from a backup, or: ${NEW_AUTHORITY}, and give clients the new ca-cert.pem.`,
    });
  }
  if (!judgeAuthority(authority, clock, findings)) return;
  const leaf = parseCertificate((text ?? "").slice(Math.max(0, (text ?? "").indexOf("-----BEGIN CERTIFICATE-----"))));
  if (leaf === null) return warnMadeAgain(`the local certificate in ${folder} is missing or damaged`, findings);
  if (!isKeyOf(text ?? "", leaf))
    return warnMadeAgain(`the key in ${folder}/localhost.pem is not that of its certificate`, findings);
  if (!leaf.checkIssued(authority) || !leaf.verify(authority.publicKey)) {
    return warnMadeAgain(`the local certificate in ${folder} is not signed by the authority beside it`, findings);
  }
  judgeDates(leaf, clock, findings, "Start the service: it renews a certificate of its own.");
  judgeName(leaf, settings, findings);
}

async function read(folder: string, name: string): Promise<string | null> {
  return readFile(join(folder, name), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

/** False when the service does not start with it, so that nothing else about the certificate matters. */
function judgeAuthority({ validFromDate, validToDate }: X509Certificate, clock: Clock, findings: Findings): boolean {
  const now = clock.now();
  const leftDays = Math.floor((validToDate.getTime() - now.getTime()) / DAY_MS);
  const period = `it is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`;
  const advice = `Check this machine's clock. If it is right: ${NEW_AUTHORITY}, and give clients the new ca-cert.pem.`;
  if (now < validFromDate || now > validToDate) {
    findings.fault(CHECK, {
      what: `by this machine's clock (${now.toISOString()}) the local authority is not valid: ${period}`,
      why: "Clients refuse its certificates, and the service does not replace an authority that clients may trust.",
      advice,
    });
    return false;
  }
  if (leftDays < AUTHORITY_SOON_DAYS) {
    const why = "Clients refuse its certificates from then on, and the service does not start.";
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
    why: "The next start makes a new one. Clients that trust the authority notice nothing.",
    advice: "Start the service, or bring the tls folder back from a backup.",
  });
}

function judgeDates(leaf: X509Certificate, clock: Clock, findings: Findings, advice: string): void {
  const { validFromDate, validToDate } = leaf;
  const nowMs = clock.now().getTime();
  const leftDays = Math.floor((validToDate.getTime() - nowMs) / DAY_MS);
  const until = validToDate.toISOString().slice(0, 10);
  if (validToDate.getTime() <= nowMs) {
    const why = "Clients refuse it, and the service does not start with it.";
    findings.fault(CHECK, { what: `the certificate expired on ${until}`, why, advice });
  } else if (validFromDate.getTime() > nowMs) {
    const what = `the certificate is not good before ${validFromDate.toISOString()}`;
    findings.fault(CHECK, { what, why: "Clients refuse it.", advice: "Check this machine's clock, or wait." });
  } else if (leftDays < SOON_DAYS) {
    const why = "Clients refuse it from then on.";
    findings.warn(CHECK, { what: `the certificate expires in ${leftDays} days, on ${until}`, why, advice });
  } else {
    findings.ok(CHECK, `good until ${until}`);
  }
}

function judgeName(leaf: X509Certificate, { publicUrl }: Settings, findings: Findings): void {
  if (publicUrl === null) return;
  const name = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  if ((isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined) return;
  findings.fault(CHECK, {
    what: `the certificate is not for ${name}, the name in PUBLIC_URL (it is for ${leaf.subjectAltName ?? "no name"})`,
    why: "Clients that check names, as all should, refuse to connect.",
    advice: "Get a certificate for that name (TLS_CERT_FILE, TLS_KEY_FILE), or set PUBLIC_URL to a name it has.",
  });
}

/** Servers must send the intermediate certificates; browsers sometimes find them elsewhere, programs do not. */
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
    why: "Programs that do not know the issuer refuse to connect, although browsers may not.",
    advice:
      "Put the intermediate certificates into TLS_CERT_FILE, after the server's own, each before its issuer. With an authority of your own, clients have to trust it.",
  });
}

function isKnownRoot(certificate: X509Certificate): boolean {
  return rootCertificates.some((pem) => certificate.checkIssued(new X509Certificate(pem)));
}

function parseChain(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no certificate in it");
  return blocks.map((block) => new X509Certificate(block));
}

function oneLine(text: string | undefined): string {
  return (text ?? "").replaceAll("\n", ", ");
}
