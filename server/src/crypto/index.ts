// In charge of: keys derived from the master key, secrets wrapped so that a database alone cannot read them, files that
// are replaced as a whole or made once, for their owner alone.
// Not in charge of: tokens and keys of clients (auth), TLS (http).

export { deriveKey, derivePassword } from "./derive-key.ts";
export { loadMasterKey } from "./load-master-key.ts";
export { newMasterKey } from "./master-key.ts";
export { prepareSecretDir, SecretDirError } from "./prepare-secret-dir.ts";
export { replaceFile, syncFolder } from "./whole-file.ts";
export { UnwrapError, unwrapSecret, wrapSecret } from "./wrap-secret.ts";
