// In charge of: which identity providers the operator has configured: the presets of vendors, the file and the variables, with all
// faults. It is read before PostgreSQL is started, so it loads little.
// Not in charge of: the protocol with them, and which account somebody reaches (auth).
export { loadSignInProviders } from "./load-sign-in-providers.ts";
export { apiOf } from "./presets.ts";
export type { ClientSecret, SignInProvider } from "./presets.ts";
