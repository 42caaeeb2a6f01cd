import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./command.ts";

type OptionKinds = NonNullable<ParseArgsConfig["options"]>;

export interface ParsedOptions {
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

export function parseOptions(args: readonly string[], options: OptionKinds, maxWords = 0): ParsedOptions {
  let parsed: { positionals: string[]; values: Record<string, unknown> };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Its messages ("Unknown option '--x'") are for the user.
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const extra = parsed.positionals[maxWords];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
  return { words: parsed.positionals, values: parsed.values };
}
