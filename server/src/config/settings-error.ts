import { docsPage } from "./docs-page.ts";

/** Runs all checks, and throws one SettingsError with the faults of all of them. */
export function checkTogether(...checks: readonly (() => unknown)[]): void {
  const faults = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof SettingsError) return error.faults;
      throw error;
    }
  });
  if (faults.length > 0) throw new SettingsError(faults);
}

/** Contains every fault of the environment, so that an operator can correct them together. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const head = faults.length === 1 ? "One setting is invalid:" : `${faults.length} settings are invalid:`;
    super([head, ...faults.map((fault) => `  - ${fault}`), `See ${docsPage("reference/configuration")}.`].join("\n"));
    this.name = "SettingsError";
    this.faults = Object.freeze([...faults]);
  }
}
