/** A second run of some test files, under different conditions. */
export interface Variant {
  /** Appended to the name of the file in the title of its suite. */
  readonly title: string;
  /** Path of the module that exports it, as `variant`. */
  readonly module: string;
  /** Environment variables for the global set-up of a run with this variant. */
  readonly setUp: Readonly<Record<string, string>>;
  appliesTo(file: string, text: string): boolean;
  /**
   * Prepares the process of a group before its test files are loaded. Returns the reason if that is impossible here, or
   * false.
   */
  enter(files: readonly string[]): string | false;
}
