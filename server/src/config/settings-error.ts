import { docsPage } from "./docs-page.ts";

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
