import {
  type Framework,
  GUARDRAIL_DEFAULTS,
  type GuardrailAction,
  type GuardrailConfig,
  type GuardrailErrorPolicy,
  type GuardrailKind,
  type GuardrailStage,
  type JsonObject,
} from "@swarmbase/sdk";
import type { Guardrail, GuardrailDraft } from "../../data/guardrails.ts";
import type { RenderedForm, RowForm } from "../../components/row-form.tsx";
import { fromLines, type HeaderLine, toLines } from "../../components/header-lines.ts";

/** The fields of the form. Those of the other kinds keep what was typed while the kind changes. */
export interface GuardrailForm {
  readonly name: string;
  readonly kind: GuardrailKind;
  readonly stage: GuardrailStage;
  readonly action: GuardrailAction;
  readonly position: string;
  readonly isActive: boolean;
  /** Empty for the default. */
  readonly replacement: string;
  readonly pattern: string;
  /** Null while the text is not valid JSON. */
  readonly schema: JsonObject | null;
  readonly policy: string;
  /** Empty for that of the agent. */
  readonly framework: Framework | "";
  readonly model: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  /** Empty for the default. */
  readonly timeoutMs: string;
  readonly onError: GuardrailErrorPolicy;
}

export const EMPTY_GUARDRAIL: GuardrailForm = {
  name: "",
  kind: "pattern",
  stage: "input",
  action: "block",
  position: "0",
  isActive: true,
  replacement: "",
  pattern: "",
  schema: { type: "object", properties: {}, required: [] },
  policy: "",
  framework: "",
  model: "",
  url: "",
  headers: [],
  timeoutMs: "",
  onError: GUARDRAIL_DEFAULTS.onError,
};

export function formOf(row: Guardrail | null): GuardrailForm {
  if (row === null) return EMPTY_GUARDRAIL;
  const { name, kind, stage, action, position, is_active: isActive, config } = row;
  const { replacement = "" } = config;
  const common = { name, kind, stage, action, position: String(position), isActive, replacement };
  return { ...EMPTY_GUARDRAIL, ...common, ...fieldsOf(config) };
}

function fieldsOf(config: GuardrailConfig): Partial<GuardrailForm> {
  if ("pattern" in config) return { pattern: config.pattern };
  if ("schema" in config) return { schema: config.schema };
  const { on_error: onError = GUARDRAIL_DEFAULTS.onError } = config;
  if ("policy" in config) {
    const { policy, framework = "", model = "" } = config;
    return { policy, framework, model, onError };
  }
  const { url, headers = {}, timeout_ms: timeoutMs } = config;
  return { url, headers: toLines(headers), timeoutMs: timeoutMs === undefined ? "" : String(timeoutMs), onError };
}

type NewDraft = GuardrailDraft & { readonly kind: GuardrailKind };

/** The service checks the rest. */
export function renderGuardrail(form: GuardrailForm): RenderedForm<NewDraft> {
  const { name, kind, stage, action, isActive } = form;
  const config = renderConfig(form);
  if (config === null) return { faults: { "config.schema": "Must be a JSON object: { … }" } };
  const position = Number(form.position);
  if (!Number.isInteger(position)) return { faults: { position: "Must be a whole number." } };
  const replaced = form.replacement === "" ? {} : { replacement: form.replacement };
  return { draft: { name, kind, stage, action, position, is_active: isActive, config: { ...config, ...replaced } } };
}

function renderConfig(form: GuardrailForm): GuardrailConfig | null {
  const onError = form.onError === GUARDRAIL_DEFAULTS.onError ? {} : { on_error: form.onError };
  switch (form.kind) {
    case "pattern":
      return { pattern: form.pattern };
    case "schema":
      return form.schema === null ? null : { schema: form.schema };
    case "model": {
      const { policy, framework, model } = form;
      return { policy, ...(framework !== "" && { framework }), ...(model !== "" && { model }), ...onError };
    }
    case "webhook": {
      const { url, timeoutMs } = form;
      const headers = fromLines(form.headers);
      return {
        url,
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(timeoutMs.trim() !== "" && { timeout_ms: Number(timeoutMs) }),
        ...onError,
      };
    }
  }
}

/** In errors, the service names columns, and members of the configuration with a dot. */
export const ERROR_NAMES: { readonly [Name in keyof GuardrailForm]?: string } = {
  kind: "config",
  isActive: "is_active",
  replacement: "config.replacement",
  pattern: "config.pattern",
  schema: "config.schema",
  policy: "config.policy",
  framework: "config.framework",
  model: "config.model",
  url: "config.url",
  headers: "config.headers",
  timeoutMs: "config.timeout_ms",
  onError: "config.on_error",
};

export const GUARDRAIL_FORM: RowForm<Guardrail, GuardrailForm, NewDraft> = {
  formOf,
  render: renderGuardrail,
  columnsOf: (field) => [ERROR_NAMES[field as keyof GuardrailForm] ?? field],
};
