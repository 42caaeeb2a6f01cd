/** Holds every fault of the environment at once, so that an operator mends them in one go. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const head = faults.length === 1 ? "One setting is wrong:" : `${faults.length} settings are wrong:`;
    super([head, ...faults.map((fault) => `  - ${fault}`), "See docs/reference/configuration.md."].join("\n"));
    this.name = "SettingsError";
    this.faults = Object.freeze([...faults]);
  }
}
