import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";

/** `provider_a` → "Provider A". Who answers behind the name is the operator's choice. */
export function nameProvider(framework: Framework): string {
  return `Provider ${framework.slice("provider_".length).toUpperCase()}`;
}

export const PROVIDER_CHOICES = FRAMEWORKS.map((framework) => ({ value: framework, label: nameProvider(framework) }));
