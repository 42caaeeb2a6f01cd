/** The files of the data directory in a backup. All others are created again from these and from the database. */
export const KEPT_FILES = ["master.key", "tls/ca-cert.pem", "tls/ca-key.pem", "tls/localhost.pem"] as const;
export const MASTER_KEY_FILE = KEPT_FILES[0];
