import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { getConfig, reloadConfig } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useWrite, type Write } from "./write.ts";

/** The name of the service that the operator has configured, such as "OpenAI". */
export function nameProvider(framework: Framework): string {
  return getConfig().providers[framework];
}

export function listProviderChoices(): { readonly value: Framework; readonly label: string }[] {
  return FRAMEWORKS.map((framework) => ({ value: framework, label: nameProvider(framework) }));
}

/** What became of a key. */
export interface AddedProvider {
  /** The vendor: "OpenAI". */
  readonly name: string;
  readonly is_stored: boolean;
  readonly test: {
    readonly is_ok: boolean;
    readonly message: string | null;
    readonly model: string | null;
    readonly duration_ms: number;
  };
}

interface GivenKey {
  readonly key: string;
  /** Null means that the form of the key says whose it is. */
  readonly vendor: string | null;
}

/** Gives the service the first key of a provider. */
export function useAddProvider(): Write<GivenKey, AddedProvider> {
  return useWrite({
    tables: ["models"],
    write: async (client, { key, vendor }) => {
      const body = { api_key: key, vendor };
      const added = (await unwrap(client.functions.invoke("provider-keys", { body }))) as AddedProvider;
      if (added.is_stored) await reloadConfig();
      return added;
    },
  });
}
