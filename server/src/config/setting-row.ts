interface Options {
  /** The value is never printed, neither in a fault nor with the settings themselves. */
  readonly secret?: boolean;
  /** The setting whose value is the default of this one. */
  readonly fallback?: string;
}

interface IntegerRule extends Options {
  readonly kind: "integer";
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

interface ChoiceRule extends Options {
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly default: string;
}

interface BooleanRule extends Options {
  readonly kind: "boolean";
  /** Null when the default depends on other settings; the description says how. */
  readonly default: boolean | null;
}

interface ListRule extends Options {
  readonly kind: "addresses" | "origins" | "url-patterns" | "names" | "extensions";
  /** Null when the default depends on other settings; the description says how. */
  readonly default: readonly string[] | null;
}

interface NumberListRule extends Options {
  readonly kind: "seconds-list" | "ports";
  readonly default: readonly number[];
}

interface KeyRule extends Options {
  readonly kind: "key";
  readonly minLength: number;
  readonly default: null;
}

interface TextRule extends Options {
  readonly kind:
    | "host"
    | "path"
    | "https-url"
    | "http-url"
    | "postgres-url"
    | "smtp-url"
    | "redis-url"
    | "mailbox"
    | "function"
    | "hook-uri"
    | "hook-secrets"
    | "framework-model";
  readonly default: string | null;
}

type SettingRule = IntegerRule | ChoiceRule | BooleanRule | ListRule | NumberListRule | KeyRule | TextRule;

export type SettingRow = SettingRule & { readonly description: string };

/** A variable that a standard defines. An extension reads its text and checks it. */
export interface StandardVariable {
  readonly name: string;
  /** Follows "accepts" in the reference. */
  readonly accepts: string;
  /** Null means that there is none. */
  readonly default: string | null;
  readonly description: string;
  /** The value is never printed. */
  readonly secret?: boolean;
}

/** With the name of its environment variable. */
export type NamedSettingRow<Name extends string = string> = SettingRow & { readonly name: Name };

/** What an extension reads from the environment. */
export interface ExtensionRows {
  readonly name: string;
  readonly settings?: readonly NamedSettingRow[];
  readonly standardVariables?: readonly StandardVariable[];
}

/** A row of the table: what the setting accepts, and what it does. */
export function setting<const Rule extends SettingRule>(
  rule: Rule,
  description: string,
): Rule & { readonly description: string } {
  return { ...rule, description };
}
