import { type ParseArgsConfig, parseArgs } from "node:util";

type OptionKinds = NonNullable<ParseArgsConfig["options"]>;
type ParsedOptions<Kinds extends OptionKinds> = ReturnType<
  typeof parseArgs<{ options: Kinds; allowPositionals: true; strict: true }>
>;

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Parses the arguments of a command. Throws a `UsageError` for unknown options and for further arguments. */
export function parseOptions<const Kinds extends OptionKinds>(
  args: readonly string[],
  options: Kinds,
  maxPositionals = 0,
): ParsedOptions<Kinds> {
  let parsed: ParsedOptions<Kinds>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Its messages ("Unknown option '--x'") are for the user.
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const extra = parsed.positionals[maxPositionals];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
  return parsed;
}
