import {
  loadProviders,
  NOTHING_FOUND,
  type Providers,
  type StoredKeys,
  type VendorProtocol,
} from "../../agents/index.ts";
import { createMailer, sendsMails } from "../../auth/index.ts";
import { docsPage, type Environment, type Settings, SettingsError } from "../../config/index.ts";
import { messageOf, tryPort } from "../../db/index.ts";
import { pingStore } from "../../limits/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Findings } from "./finding.ts";

export async function checkPort({ host, port }: Settings, findings: Findings): Promise<void> {
  if (port === 0) return findings.ok("port", "PORT is 0: the service selects a free one");
  const code = await tryPort(port, host);
  if (typeof code === "number") return findings.ok("port", `${host}:${port} is free`);
  const reasons: Readonly<Record<string, [what: string, advice: string]>> = {
    EADDRINUSE: ["is in use by another program", "Stop that program, or set PORT to another port."],
    EACCES: [
      "needs privileges",
      "Set PORT to 1024 or more, or let the account bind it (AmbientCapabilities=CAP_NET_BIND_SERVICE).",
    ],
    EADDRNOTAVAIL: ["is not an address of this machine", "Set HOST to one of its addresses, or to 0.0.0.0 for all."],
    ENOTFOUND: ["does not resolve", "Set HOST to an address."],
  };
  const [what, advice] = reasons[code] ?? [`cannot be listened on (${code})`, "Check HOST and PORT."];
  findings.fault("port", { what: `${host}:${port} ${what}`, why: "The service does not start.", advice });
}

export async function checkRedis({ redisUrl }: Settings, findings: Findings): Promise<void> {
  if (redisUrl === null) return findings.ok("redis", "not used: each node counts rate limits by itself");
  try {
    await pingStore(redisUrl);
    findings.ok("redis", "responds");
  } catch (error) {
    findings.fault("redis", {
      what: `the store in REDIS_URL does not respond: ${messageOf(error)}`,
      why: "Each node counts rate limits by itself, so callers get a multiple of them.",
      advice: "Start it, or correct REDIS_URL; a single node needs none.",
    });
  }
}

export async function checkMail(
  settings: Settings,
  { observer, clock }: { readonly observer: Observer; readonly clock: Clock },
  findings: Findings,
): Promise<void> {
  if (settings.smtpUrl === null) {
    if (sendsMails(settings)) return findings.ok("mail", "the hook of AUTH_HOOK_SEND_EMAIL_URI sends the mails");
    if (settings.nodeEnv !== "production")
      return findings.ok("mail", "no mail server: mails are written to DATA_DIR/mail");
    return findings.warn("mail", {
      what: "no mail server is set (SMTP_URL)",
      why: "Confirmations, password resets and magic links are written to files and reach nobody.",
      advice: "Set SMTP_URL and MAIL_FROM.",
    });
  }
  const mailer = await createMailer({ settings, observer, clock });
  try {
    await mailer.checkReady();
    findings.ok("mail", "the mail server accepts the login");
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    findings.fault("mail", {
      what: `the mail server cannot be used: ${messageOf(cause ?? error)}`,
      why: "Sign-up, password resets and magic links get 503 while it is unavailable.",
      advice: "Check SMTP_URL: host, port, user and password, and whether the server supports TLS.",
    });
  } finally {
    await mailer.close();
  }
}

interface ProviderSources {
  readonly env: Environment;
  readonly protocols: readonly VendorProtocol[];
  /** They may be wrapped: only whose they are is read. */
  readonly stored: StoredKeys;
}

export function checkProviders(
  settings: Settings,
  { env, protocols, stored }: ProviderSources,
  findings: Findings,
): void {
  let providers: readonly Providers[keyof Providers][];
  try {
    providers = Object.values(loadProviders(settings, env, protocols, { ...NOTHING_FOUND, stored }));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const what of error.faults) {
      findings.fault("providers", {
        what,
        why: "The service does not start with invalid providers.",
        advice: `See ${docsPage("guides/models")}, or unset the named setting.`,
      });
    }
    return;
  }
  for (const { framework, kind } of providers.filter(({ state }) => state === "keyless")) {
    findings.warn("providers", {
      what: `the API key of ${framework} (${kind}) is missing`,
      why: "Its agents cannot answer.",
      advice: "Set the variable that the providers file names as api_key_env.",
    });
  }
  const ready = providers.filter(({ state }) => state === "ready");
  if (ready.length === 0) {
    return findings.warn("providers", {
      what: "no model provider has a key",
      why: "Agents can be created, but none of them can answer.",
      advice:
        "Add a key: swarmbase provider add, or PROVIDER_A_API_KEY. Or set PROVIDER_A_KIND=simulated to try without a model.",
    });
  }
  if (ready.some(({ kind }) => kind !== "simulated") || isSimulationChosen(settings))
    return findings.ok("providers", ready.map(({ framework, kind }) => `${framework} (${kind})`).join(", "));
  findings.warn("providers", {
    what: "no model provider has a key, so agents are simulated",
    why: "Their replies begin with [simulated] and come from no model.",
    advice: "Add a key: swarmbase provider add. Or set PROVIDER_A_KIND=simulated if that is intended.",
  });
}

function isSimulationChosen({ providerAKind, providerBKind, providerCKind, providersFile }: Settings): boolean {
  return providersFile !== null || [providerAKind, providerBKind, providerCKind].includes("simulated");
}
