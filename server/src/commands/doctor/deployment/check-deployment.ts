import { inspectCertificate } from "@swarmbase/guarded-fetch";
import type { Clock } from "../../../time/index.ts";
import { printable } from "../../printable.ts";
import { judgeDates } from "../check-certificate.ts";
import type { Findings } from "../finding.ts";
import { checkOperations } from "./check-operations.ts";
import {
  type DeploymentResponse,
  type Ask,
  type DeploymentOptions,
  describeFailure,
  pick,
  withDeployment,
} from "./deployment-client.ts";

export interface CheckOptions extends DeploymentOptions {
  readonly clock: Clock;
  /** The public client key; without it, that of the console. */
  readonly anonKey: string | null;
  /** Of the session of an operator. */
  readonly operatorToken: string | null;
}

const CLOCK_WARNING_MS = 5_000;
const CLOCK_FAULT_MS = 60_000;
/** The header has whole seconds. */
const DATE_STEP_MS = 1_000;

/** Checks a running service as its clients reach it. Nothing is sent before its certificate is known to be good. */
export async function checkDeployment(options: CheckOptions, findings: Findings): Promise<void> {
  if (await checkTls(options, findings)) await withDeployment(options, (ask) => checkService(ask, options, findings));
}

const UNKNOWN_AUTHORITY = "comes from an authority that is not known here, or its chain is incomplete";
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
};

async function checkTls({ url, ca, timeoutMs, signal, clock }: CheckOptions, findings: Findings): Promise<boolean> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const server = await inspectCertificate({ url: new URL(url), ca, signal: deadline }).catch((error: unknown) => {
    signal.throwIfAborted();
    findings.fault("tls", {
      what: `there is no TLS connection to ${url}: ${describeFailure(error, timeoutMs)}`,
      why: "Clients cannot reach the service, so nothing else was checked.",
      advice: "Check the address, its DNS entry and the firewall, and that the service or its proxy serves HTTPS.",
    });
  });
  if (server === undefined) return false;
  const { fault, certificate } = server;
  if (fault === null) {
    judgeDates(certificate, clock, findings, "Renew it.");
    return true;
  }
  const { subjectAltName = "no name", validTo } = certificate;
  findings.fault("certificate", {
    what: `the certificate ${CERTIFICATE_FAULTS[fault] ?? "is rejected"} (${fault}); it is for ${printable(subjectAltName)}, until ${printable(validTo)}`,
    why: "Clients do not connect, so nothing else was checked.",
    advice:
      "Get a valid one for this name from a public authority, with its intermediate certificates (TLS_CERT_FILE, or at the proxy), and check the clock of this machine. --ca names a private authority.",
  });
  return false;
}

async function checkService(ask: Ask, options: CheckOptions, findings: Findings): Promise<void> {
  const sentAtMs = options.clock.now().getTime();
  const { status, message, headers, body } = await ask("/health");
  const version = pick(body, "version");
  if (status !== 200 || pick(body, "status") !== "ok" || typeof version !== "string") {
    return findings.fault("health", {
      what: `GET /health has no answer of Swarmbase (${status === 0 ? message : `status ${status}`})`,
      why: "The service does not run, or another program answers at this address; nothing else was checked.",
      advice: "Check the address, the log of the service, and where the proxy sends requests.",
    });
  }
  findings.ok("health", `Swarmbase ${printable(version)} answers`);
  judgeClock(headers.get("date"), { sentAtMs, receivedAtMs: options.clock.now().getTime() }, findings);
  if (pick(body, "restored_copy") !== undefined) {
    findings.warn("copy", {
      what: "the database is a restored copy, in which deliveries, agent runs and mails are held",
      why: "Users wait for them.",
      advice: "If this is the service of the users: swarmbase resume.",
    });
  }
  const ready = await ask("/ready");
  if (ready.status === 200) findings.ok("ready", "requests, including writes, can be served");
  else {
    findings.fault("ready", {
      what: `GET /ready returned ${ready.status}: ${printable(ready.message)}`,
      why: "Requests fail, and a load balancer sends them elsewhere.",
      advice: "Run swarmbase doctor with the settings of the node, and see its log.",
    });
  }
  judgeIssuer(await ask("/auth/v1/.well-known/openid-configuration"), options.url, findings);
  if (pick(body, "limit_store") !== undefined) {
    findings.warn("limits", {
      what: "the store in REDIS_URL is unavailable",
      why: "Each node counts rate limits by itself, so callers get a multiple of them.",
      advice: "Start it, or correct REDIS_URL.",
    });
  }
  await checkOperations(ask, options, findings);
}

function judgeClock(
  date: string | null,
  { sentAtMs, receivedAtMs }: { readonly sentAtMs: number; readonly receivedAtMs: number },
  findings: Findings,
): void {
  const dateMs = Date.parse(date ?? "");
  if (Number.isNaN(dateMs)) return findings.ok("clock", "not known: the response has no Date header");
  const aheadMs = dateMs - receivedAtMs;
  const offMs = Math.max(aheadMs, sentAtMs - DATE_STEP_MS - dateMs);
  if (offMs <= CLOCK_WARNING_MS) return findings.ok("clock", "agrees with this machine's");
  findings[offMs > CLOCK_FAULT_MS ? "fault" : "warn"]("clock", {
    what: `the service's clock is ${Math.round(offMs / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`,
    why: "Tokens, one-time codes and signatures are valid for minutes, and rejected by a clock that is wrong.",
    advice: "Synchronise the clocks of both machines (NTP).",
  });
}

function judgeIssuer({ status, message, headers, body }: DeploymentResponse, url: string, findings: Findings): void {
  const issuer = pick(body, "issuer");
  if (issuer === `${url}/auth/v1`) findings.ok("public url", "tokens and links have this address");
  else {
    findings.fault("public url", {
      what: `the service names ${printable(typeof issuer === "string" ? issuer : `nothing (${status}, ${message})`)} as the address of its accounts, not ${url}/auth/v1`,
      why: "Links in mails lead to another address, and programs that verify the issuer reject tokens.",
      advice: `Set PUBLIC_URL=${url}, or use the address that the service has.`,
    });
  }
  const perMinute = headers.get("x-ratelimit-limit");
  if (perMinute !== null) findings.ok("limits", `${printable(perMinute)} requests per minute without signing in`);
  else if (status === 200) {
    findings.warn("limits", {
      what: "callers that are not signed in have no rate limit",
      why: "One address can use up the service.",
      advice: "Set LIMIT_API, unless a proxy limits them.",
    });
  }
}
