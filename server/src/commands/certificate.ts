import { loadSettings, parseOptions, UsageError } from "../config/index.ts";
import type { Command } from "./command.ts";

export const certificateCommand: Command = {
  name: "certificate",
  summary: "renew the local certificate or its authority",
  help: `
Usage: swarmbase certificate renew [--new-authority]

Creates a new certificate for localhost, signed by the authority in the data directory. The service does this itself
30 days before the certificate expires. A running service uses the new one within a minute.

--new-authority  also creates a new authority. Clients that trust the old ca-cert.pem cannot connect until they have the
                 new one, so the service never does this itself: it does not start when the authority has expired, or
                 seems to have because the clock is wrong.

With TLS_CERT_FILE or TLS_MODE=proxy the service has no certificate of its own, and there is nothing to renew.`,
  run: async ({ args, env, stdout, clock }) => {
    const { positionals, values } = parseOptions(args, { "new-authority": { type: "boolean" } }, 1);
    if (positionals[0] !== "renew") throw new UsageError("The action is missing: certificate renew");
    const { dataDir, tlsMode, tlsCertFile } = loadSettings(env);
    if (tlsMode === "proxy" || tlsCertFile !== null) {
      const setting = tlsMode === "proxy" ? "TLS_MODE is proxy" : "TLS_CERT_FILE is set";
      throw new Error(`${setting}, so the service has no certificate of its own. Nothing was changed.`);
    }
    const hasNewAuthority = values["new-authority"] === true;
    // Imported here, because it loads the whole HTTP server.
    const { renewLocalCertificate } = await import("../http/index.ts");
    const { caFile } = await renewLocalCertificate({ dataDir, now: clock.now(), hasNewAuthority });
    stdout.write(
      hasNewAuthority
        ? `Created a new authority and a certificate. Clients need the new ${caFile}\n`
        : `Created a new certificate for localhost. Clients that trust ${caFile} need no change.\n`,
    );
    return 0;
  },
};
