import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";

/** `provider_a` → "Provider A". The operator configures which service that is. */
export function nameProvider(framework: Framework): string {
  return `Provider ${framework.slice("provider_".length).toUpperCase()}`;
}

export const PROVIDER_CHOICES = FRAMEWORKS.map((framework) => ({ value: framework, label: nameProvider(framework) }));
