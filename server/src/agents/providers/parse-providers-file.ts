import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { z } from "zod";
import {
  assumeSupport,
  describeModel,
  isSelfHosted,
  type OfferedModel,
  PROVIDER_KINDS,
  type ProviderKind,
} from "../../config/index.ts";

const MAX_TOKENS = 1_000_000_000;
const price = z.number().min(0).max(1_000_000);
const tokens = z.number().int().min(1).max(MAX_TOKENS);

const modelSchema = z.strictObject({
  id: z.string().min(1).max(200),
  context_window: tokens.optional(),
  max_output_tokens: tokens.optional(),
  price: z
    .strictObject({ input: price, cached_input: price.optional(), cache_write: price.optional(), output: price })
    .optional(),
  supports: z
    .strictObject({
      temperature: z.boolean().optional(),
      temperature_max: z.number().min(0).max(2).optional(),
      top_p: z.boolean().optional(),
      top_p_with_temperature: z.boolean().optional(),
      penalties: z.boolean().optional(),
      stop: z.number().int().min(0).max(16).optional(),
      tools: z.boolean().optional(),
      response_schema: z.boolean().optional(),
      images: z.boolean().optional(),
      reasoning: z.boolean().optional(),
      thinking: z.enum(["adaptive", "budget"]).optional(),
    })
    .optional(),
});

const entrySchema = z.strictObject({
  kind: z.enum(PROVIDER_KINDS),
  base_url: z
    .string()
    .refine(isPlainUrl, "must be an http:// or https:// address without user name, query or fragment")
    .optional(),
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable")
    .optional(),
  default_model: z.string().min(1).max(200).optional(),
  allow_unlisted_models: z.boolean().optional(),
  prompt_caching: z.boolean().optional(),
  reasoning_summaries: z.boolean().optional(),
  fallback: z.array(z.enum(FRAMEWORKS)).max(FRAMEWORKS.length).optional(),
  models: z.array(modelSchema).max(1000).optional(),
});

type FileModel = z.output<typeof modelSchema>;
type FileEntry = z.output<typeof entrySchema>;
const fileSchema = z.strictObject(
  Object.fromEntries(FRAMEWORKS.map((framework) => [framework, entrySchema.optional()])) as Record<
    Framework,
    z.ZodOptional<typeof entrySchema>
  >,
);

export type ProvidersFile = Readonly<Partial<Record<Framework, FileEntry>>>;

/** Faults name the path and not the value, so that a key in the file does not appear in a log. */
export function parseProvidersFile(text: string): { readonly file: ProvidersFile; readonly faults: readonly string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { file: {}, faults: ["PROVIDERS_FILE is not JSON"] };
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) return { file: {}, faults: parsed.error.issues.map(renderIssue) };
  const file = Object.fromEntries(Object.entries(parsed.data).filter(([, entry]) => entry !== undefined));
  return { file, faults: findFaults(file) };
}

function findFaults(file: ProvidersFile): readonly string[] {
  return Object.entries(file).flatMap(([framework, entry]) => {
    const at = `PROVIDERS_FILE: ${framework}`;
    const ids = entry.models?.map(({ id }) => id);
    const targets = entry.fallback ?? [];
    return [
      ...(new Set(ids).size < (ids?.length ?? 0) ? [`${at}.models names a model twice`] : []),
      ...(ids?.length === 0 && entry.allow_unlisted_models !== true
        ? [`${at}.models is empty although allow_unlisted_models is not set`]
        : []),
      ...(ids !== undefined && ids.length === 0 && entry.default_model === undefined
        ? [`${at}.default_model is missing`]
        : []),
      ...(ids !== undefined && !isOffered(entry, ids) ? [`${at}.default_model is not among its models`] : []),
      ...(isSelfHosted(entry.kind) && entry.base_url === undefined ? [`${at}.base_url is missing`] : []),
      ...(targets.includes(framework as Framework) ? [`${at}.fallback names itself`] : []),
      ...(targets.some((target) => file[target]?.kind === "simulated")
        ? [`${at}.fallback names a simulated provider`]
        : []),
    ];
  });
}

function isOffered({ default_model, allow_unlisted_models }: FileEntry, ids: readonly string[]): boolean {
  return default_model === undefined || allow_unlisted_models === true || ids.includes(default_model);
}

function renderIssue({ path, code, message }: z.core.$ZodIssue): string {
  const place = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  const at = `PROVIDERS_FILE${place === "" ? "" : `: ${place.replace(/^\./, "")}`}`;
  if (code === "unrecognized_keys") return `${at} has unknown members (a key belongs in an environment variable)`;
  return code === "custom" || code === "invalid_format" ? `${at} ${message}` : `${at} is missing or not valid`;
}

function isPlainUrl(text: string): boolean {
  const url = /[\s?#]/.test(text) ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** The values of the file override those of the catalogue. */
export function offerFileModel(kind: ProviderKind, model: FileModel): OfferedModel {
  const known = describeModel(kind, model.id);
  const assumed = assumeSupport(kind, model.id);
  const { supports = {} } = model;
  return {
    id: model.id,
    contextWindow: model.context_window ?? known.contextWindow,
    maxOutputTokens: model.max_output_tokens ?? known.maxOutputTokens,
    price:
      model.price === undefined
        ? known.price
        : {
            input: model.price.input,
            cachedInput: model.price.cached_input ?? null,
            cacheWrite: model.price.cache_write ?? null,
            output: model.price.output,
          },
    supports: {
      temperature: supports.temperature ?? assumed.temperature,
      temperatureMax: supports.temperature_max ?? assumed.temperatureMax,
      topP: supports.top_p ?? assumed.topP,
      topPWithTemperature: supports.top_p_with_temperature ?? assumed.topPWithTemperature,
      penalties: supports.penalties ?? assumed.penalties,
      stop: supports.stop ?? assumed.stop,
      tools: supports.tools ?? assumed.tools,
      responseSchema: supports.response_schema ?? assumed.responseSchema,
      images: supports.images ?? assumed.images,
      reasoning: supports.reasoning ?? assumed.reasoning,
      thinking: supports.thinking ?? assumed.thinking,
    },
  };
}
