import { loadSettings, parseOptions, type Settings, UsageError } from "../config/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { neverStartedError } from "./database-access.ts";
import { changeTrust } from "./trust/change-trust.ts";
import type { TrustAction } from "./trust/plan-trust.ts";
import { readMachine } from "./trust/read-machine.ts";

const ACTIONS = ["renew", "trust", "untrust"] as const;

export const certificateCommand: Command = {
  name: "certificate",
  summary: "renew the local certificate, or make this machine trust its authority",
  help: `
Usage: swarmbase certificate renew [--new-authority]
       swarmbase certificate trust [--yes]
       swarmbase certificate untrust [--yes]

renew creates a new certificate for localhost, signed by the authority in the data directory. The service does this itself
30 days before the certificate expires. A running service uses the new one within a minute.

--new-authority  also creates a new authority. Clients that trust the old ca-cert.pem cannot connect until they have the
                 new one, so the service never does this itself: it does not start when the authority has expired, or
                 seems to have because the clock is wrong. Run untrust before and trust afterwards.

trust adds the authority to the store of the system and to those of browsers, so that they show no warning; untrust
removes it, also before remove-data. The authority can sign certificates for localhost and loopback addresses only. Both
show the commands and ask. They print what needs root or a program that is missing, and what Node.js needs.

--yes  does not ask. Without it and without a terminal, nothing is changed and the exit code is 1.

With TLS_CERT_FILE or TLS_MODE=proxy the service has no certificate of its own, and there is nothing to renew or trust.`,
  run: async (context) => {
    const { args, env, stdout, clock } = context;
    const options = { "new-authority": { type: "boolean" }, yes: { type: "boolean" } } as const;
    const { positionals, values } = parseOptions(args, options, 1);
    const action = ACTIONS.find((name) => name === positionals[0]);
    if (action === undefined) throw new UsageError(`The action is missing: certificate ${ACTIONS.join(", ")}`);
    const foreign = action === "renew" ? "yes" : "new-authority";
    if (values[foreign] !== undefined) throw new UsageError(`certificate ${action} has no option --${foreign}`);
    const settings = loadSettings(env);
    const { dataDir, tlsMode, tlsCertFile } = settings;
    if (tlsMode === "proxy" || tlsCertFile !== null) {
      const setting = tlsMode === "proxy" ? "TLS_MODE is proxy" : "TLS_CERT_FILE is set";
      throw new Error(`${setting}, so the service has no certificate of its own. Nothing was changed.`);
    }
    if (action !== "renew")
      return changeTrustHere(action, settings, { ...context, isConfirmed: values["yes"] === true });
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

async function changeTrustHere(
  action: TrustAction,
  { dataDir }: Settings,
  context: CommandContext & { readonly isConfirmed: boolean },
): Promise<number> {
  const { readLocalAuthority } = await import("../http/index.ts");
  const found = await readLocalAuthority(dataDir);
  if (found === null) throw neverStartedError(dataDir);
  const { file, name, certificate } = found;
  const authority = { file, name, sha1: certificate.fingerprint.replaceAll(":", "") };
  return changeTrust(
    { action, authority, machine: readMachine(context.env), isConfirmed: context.isConfirmed },
    context,
  );
}
