import { type ExtensionContext, type ExtensionSettingRow, SettingsError } from "swarmbase/extension";

export const SETTINGS = [
  {
    name: "OPENAI_API_EMBEDDINGS_URL",
    kind: "http-url",
    default: null,
    secret: false,
    description:
      "The base URL of a server with OpenAI's API, such as `https://api.openai.com/v1`, to which `/v1/embeddings` passes requests on. Unset: these return 503.",
  },
  {
    name: "OPENAI_API_EMBEDDINGS_KEY",
    kind: "key",
    minLength: 1,
    default: null,
    secret: true,
    description: "The API key for that server. Unset: requests have none.",
  },
  {
    name: "OPENAI_API_EMBEDDINGS_MODELS",
    kind: "names",
    default: [],
    secret: false,
    description: "The models of that server that users may name, such as `text-embedding-3-small`.",
  },
] as const satisfies readonly ExtensionSettingRow[];

type Settings = ExtensionContext<typeof SETTINGS>["settings"];
export type Context = ExtensionContext<typeof SETTINGS>;

export function configure({ OPENAI_API_EMBEDDINGS_URL: url, OPENAI_API_EMBEDDINGS_MODELS: models }: Settings) {
  if ((url === null) !== (models.length === 0))
    throw new SettingsError(["OPENAI_API_EMBEDDINGS_URL and OPENAI_API_EMBEDDINGS_MODELS need each other"]);
  return { trustedUrls: url === null ? [] : [url] };
}
