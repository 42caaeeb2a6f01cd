import { readFile } from "node:fs/promises";
import * as tls from "node:tls";
import { makeInstanceFolder, removeInstanceFolder } from "./instance-folder.ts";
import { type Credentials, runInstance } from "./run-instance.ts";
import { fillFromTemplate } from "./template.ts";

export interface StartSwarmbaseOptions {
  /** Settings of the service, which take precedence over the defaults of an instance for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Whether this process trusts the certificate authority of the instance; default: true. Node.js can do this from 22.19 and
   * 24.5 on; before, pass `ca` to your client, or set NODE_EXTRA_CA_CERTS to `ca_cert_file` in another process.
   */
  readonly trust?: boolean;
}

/** The members are named as in `credentials.json`. */
export interface SwarmbaseInstance extends Credentials {
  /** The certificate authority of the instance, in PEM format. */
  readonly ca: string;
  /** Stops the service and removes its data. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULTS = {
  PORT: "0",
  NODE_ENV: "test",
  LOG_LEVEL: "warn",
  CONSOLE_ENABLED: "false",
  // An Ollama that runs on the machine answers differently every time.
  PROVIDER_DETECTION: "false",
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
} as const;

/**
 * Starts a throw-away instance of the service for tests, on any free port, with its own database, without rate limits, and with
 * simulated models. The first call on a machine prepares the database, which takes a few seconds; later calls copy it.
 */
export async function startSwarmbase(options: StartSwarmbaseOptions = {}): Promise<SwarmbaseInstance> {
  const dataDir = await makeInstanceFolder();
  try {
    await fillFromTemplate(dataDir, async (folder) =>
      (await runInstance({ dataDir: folder, settings: DEFAULTS })).stop(),
    );
    const settings = { ...DEFAULTS, ...options.settings };
    const { credentials, stop: stopService } = await runInstance({ dataDir, settings });
    const stop = async (): Promise<void> => {
      await stopService();
      await removeInstanceFolder(dataDir);
    };
    const ca = await readFile(credentials.ca_cert_file, "utf8");
    if (options.trust !== false) trustAuthority(ca);
    return { ...credentials, ca, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await removeInstanceFolder(dataDir);
    throw error;
  }
}

function trustAuthority(ca: string): void {
  const { getCACertificates, setDefaultCACertificates } = tls as Partial<typeof tls>;
  const current = getCACertificates?.("default") ?? [];
  if (!current.includes(ca)) setDefaultCACertificates?.([...current, ca]);
}
