// In charge of: who is calling. So far: the keys that tokens are signed with and the keys that clients present.
// Not in charge of: what a caller may do (the database's row-level rules).

export { checkMasterKey } from "./keys/check-master-key.ts";
export {
  type Credentials,
  credentialsPath,
  findCredentials,
  writeCredentials,
} from "./keys/credentials-file.ts";
export { ensureKeys } from "./keys/ensure-keys.ts";
export { type LoadedKeys, loadKeys } from "./keys/load-keys.ts";
export { MasterKeyError } from "./keys/open-stored-key.ts";
export { rotateRoleKeys } from "./keys/rotate-role-keys.ts";
export { rotateSigningKey } from "./keys/rotate-signing-key.ts";
