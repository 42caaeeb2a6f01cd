import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The contents of `credentials.json`. */
export interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  readonly ca_cert_file: string | null;
  /** As the owner of the schema; null if unknown. */
  readonly database_url: string | null;
}

interface GivenService {
  readonly credentials: Credentials;
  /** Key and certificate for `localhost` that the service trusts when it calls webhooks. */
  readonly receiverPemFile: string | null;
}

/** The service that the environment names, with its own settings; null if there is none. */
export const GIVEN: GivenService | null = readGiven(process.env);

/** The reasons for which tests are skipped. */
export const NEEDS_OWN_SERVICE = GIVEN !== null && "starts, stops or configures a service of its own";
export const NEEDS_FOLDER = GIVEN !== null && "reads files of the service or runs its commands";
export const NEEDS_RECEIVER =
  GIVEN !== null && GIVEN.receiverPemFile === null && "needs SWARMBASE_RECEIVER_PEM, for a receiver of webhooks";
export const NEEDS_DATABASE =
  GIVEN !== null && GIVEN.credentials.database_url === null && "needs SWARMBASE_DATABASE_URL, for SQL of an operator";

function readGiven(env: NodeJS.ProcessEnv): GivenService | null {
  const read = (name: string): string | null => (env[name] ?? "") || null;
  const url = read("SWARMBASE_URL");
  if (url === null) return null;
  const anonKey = read("SWARMBASE_ANON_KEY");
  const serviceRoleKey = read("SWARMBASE_SERVICE_ROLE_KEY");
  if (anonKey === null || serviceRoleKey === null)
    throw new Error("SWARMBASE_URL goes with SWARMBASE_ANON_KEY and SWARMBASE_SERVICE_ROLE_KEY.");
  const caFile = read("SWARMBASE_CA_FILE");
  return {
    credentials: {
      url: new URL(url).origin,
      anon_key: anonKey,
      service_role_key: serviceRoleKey,
      ca_cert_file: caFile,
      database_url: read("SWARMBASE_DATABASE_URL"),
    },
    receiverPemFile: read("SWARMBASE_RECEIVER_PEM") ?? findPemBeside(caFile),
  };
}

/** A service that created its own authority has the certificate in the same folder. */
function findPemBeside(caFile: string | null): string | null {
  const file = caFile === null ? null : join(dirname(caFile), "localhost.pem");
  return file !== null && existsSync(file) ? file : null;
}
