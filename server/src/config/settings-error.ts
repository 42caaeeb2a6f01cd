/** Contains every fault of the environment, so that an operator can correct them together. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const head = faults.length === 1 ? "One setting is invalid:" : `${faults.length} settings are invalid:`;
    super([head, ...faults.map((fault) => `  - ${fault}`), "See docs/reference/configuration.md."].join("\n"));
    this.name = "SettingsError";
    this.faults = Object.freeze([...faults]);
  }
}
