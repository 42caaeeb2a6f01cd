import { loadSettings } from "../config/index.ts";
import { type Command, UsageError } from "./command.ts";
import { parseOptions } from "./parse-options.ts";

export const certificateCommand: Command = {
  name: "certificate",
  summary: "renew the local certificate, or its authority",
  help: `
Usage: swarmbase certificate renew [--new-authority]

Makes a new certificate for localhost, signed by the authority in the data directory. The service does this by itself
thirty days before the certificate runs out. A running service serves the new one within a minute.

--new-authority  makes a new authority too. Clients that trust the old ca-cert.pem refuse to connect until they are given
                 the new one, so the service never does this by itself: it stops at the start when the authority has
                 expired, or seems to because the clock is wrong.

With TLS_CERT_FILE or TLS_MODE=proxy the service has no certificate of its own, and there is nothing to renew.`,
  run: async ({ args, env, stdout, clock }) => {
    const { words, values } = parseOptions(args, { "new-authority": { type: "boolean" } }, 1);
    if (words[0] !== "renew") throw new UsageError("Say what to do: certificate renew");
    const { dataDir, tlsMode, tlsCertFile } = loadSettings(env);
    if (tlsMode === "proxy" || tlsCertFile !== null) {
      const setting = tlsMode === "proxy" ? "TLS_MODE is proxy" : "TLS_CERT_FILE is set";
      throw new Error(`${setting}, so the service has no certificate of its own. Nothing was changed.`);
    }
    const hasNewAuthority = values["new-authority"] === true;
    // Loaded for this command alone: it brings the whole HTTP server along.
    const { renewLocalCertificate } = await import("../http/index.ts");
    const { caFile } = await renewLocalCertificate({ dataDir, now: clock.now(), hasNewAuthority });
    stdout.write(
      hasNewAuthority
        ? `Made a new authority and a certificate. Give clients the new ${caFile}\n`
        : `Made a new certificate for localhost. Clients that trust ${caFile} need nothing.\n`,
    );
    return 0;
  },
};
