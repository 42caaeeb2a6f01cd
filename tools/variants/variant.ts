/** A second run of some test files, in circumstances that their first run does not have. */
export interface Variant {
  /** Follows the name of the file in the title of its suite. */
  readonly title: string;
  /** Path of the module that exports it, as `variant`. */
  readonly module: string;
  /** Variables for the global set-up of a run that has this variant. */
  readonly setUp: Readonly<Record<string, string>>;
  appliesTo(file: string, text: string): boolean;
  /** Changes the process of a group before its test files are loaded. Returns why that cannot be done here, or false. */
  enter(files: readonly string[]): string | false;
}
