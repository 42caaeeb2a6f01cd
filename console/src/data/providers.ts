import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { getConfig } from "./client.ts";

/** The name of the service that the operator has configured, such as "OpenAI". */
export function nameProvider(framework: Framework): string {
  return getConfig().providers[framework];
}

export function listProviderChoices(): { readonly value: Framework; readonly label: string }[] {
  return FRAMEWORKS.map((framework) => ({ value: framework, label: nameProvider(framework) }));
}
