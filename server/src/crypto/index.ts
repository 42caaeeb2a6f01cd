// In charge of: keys derived from the master key, encrypted secrets, files that are replaced atomically or created once,
// readable by their owner only.
// Not in charge of: tokens and keys of clients (auth), TLS (http).

export { deriveKey, derivePassword } from "./derive-key.ts";
export { loadMasterKey } from "./load-master-key.ts";
export { newMasterKey } from "./master-key.ts";
export { prepareSecretDir, SecretDirError } from "./prepare-secret-dir.ts";
export { errorCode, replaceFile, syncFolder } from "./whole-file.ts";
export { UnwrapError, unwrapSecret, wrapSecret } from "./wrap-secret.ts";
