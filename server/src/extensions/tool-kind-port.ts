import type { ToolAnswer, ToolCall, ToolConfigFault, ToolDescription, ToolKind } from "../agents/index.ts";
import type { ExtensionSettingRow } from "../config/index.ts";
import type { ExtensionContext } from "./route-port.ts";

/** A kind without state between its calls. */
export interface PlainToolKind<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** Lower-case letters, digits and underscores. */
  readonly name: string;
  /** What is wrong with `tools.config`; empty when it can be stored. */
  findConfigFaults(
    config: Readonly<Record<string, unknown>>,
    context: ExtensionContext<Rows>,
  ): readonly ToolConfigFault[];
  /**
   * One call. Resolves to the text that the model reads, or to an answer that has more: images, or questions to a person.
   * What it throws fails the tool call; the model sees the message of a `ToolFailure` or an `AppError`, and of nothing else.
   */
  run(call: ToolCall, context: ExtensionContext<Rows>): Promise<string | ToolAnswer>;
  /** For new tools that lack `input_schema` or `description`. Null means that nothing is known. */
  describe?(config: Readonly<Record<string, unknown>>, context: ExtensionContext<Rows>): ToolDescription | null;
}

/** A kind that keeps something between its calls, such as connections, or whose tools belong to servers. */
export interface StatefulToolKind<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** Lower-case letters, digits and underscores. */
  readonly name: string;
  /** Called once, before the service starts. What it throws stops the start; a `SettingsError` reports several faults at once. */
  open(context: ExtensionContext<Rows>): OpenedToolKind;
}

export interface OpenedToolKind extends ToolKind {
  /** Called when the service stops, after its runs have ended. */
  close?(): Promise<void>;
}

export type ExtensionToolKind<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> =
  | PlainToolKind<Rows>
  | StatefulToolKind<Rows>;
