import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import type { Environment, VendorKind } from "../../config/index.ts";

interface KnownVendor {
  readonly kind: VendorKind;
  readonly title: string;
  /** The variables that the vendor's own programs read. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** Of the API, where the address is that of the server alone. */
  readonly path: string;
  readonly keyPattern: RegExp;
}

/** The vendor of each framework, unless the operator has configured another one. */
export const VENDORS: Readonly<Record<Framework, KnownVendor>> = {
  provider_a: {
    kind: "openai",
    title: "OpenAI",
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    path: "/v1",
    keyPattern: /^sk-(?!ant-)/,
  },
  provider_b: {
    kind: "anthropic",
    title: "Anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
    path: "/v1",
    keyPattern: /^sk-ant-/,
  },
  provider_c: {
    kind: "google",
    title: "Google Gemini",
    keyVariable: "GEMINI_API_KEY",
    urlVariable: "GOOGLE_GEMINI_BASE_URL",
    path: "/v1beta",
    keyPattern: /^AIza/,
  },
};

const MAX_KEY_LENGTH = 1000;

/** Whether a text can be sent as a key. */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text);
}

/** The framework of the vendor that issues keys of this form; null when the form is not known. */
export function frameworkOfKey(key: string): Framework | null {
  return FRAMEWORKS.find((framework) => VENDORS[framework].keyPattern.test(key)) ?? null;
}

/** The address in the vendor's variable; null means the vendor's own, undefined that the variable has none. */
export function baseUrlOf(framework: Framework, environment: Environment): string | null | undefined {
  const { urlVariable, path } = VENDORS[framework];
  const text = environment[urlVariable]?.trim() ?? "";
  if (text === "") return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.pathname === "/" ? `${url.origin}${path}` : text.replace(/\/+$/, "");
}

export interface GivenKey {
  readonly framework: Framework;
  readonly key: string;
}

/** Reads a key that a person has given, and whose it is: by the name of the vendor, or by the form of the key. */
export function readGivenKey(text: string, vendor: string | null): GivenKey | { readonly fault: string } {
  const key = text.trim();
  if (key === "") return { fault: "There is no key." };
  if (!isKey(key)) return { fault: "The key has spaces or characters that no key has." };
  const named = FRAMEWORKS.find((framework) => VENDORS[framework].kind === vendor);
  const framework = vendor === null ? frameworkOfKey(key) : named;
  const names = FRAMEWORKS.map((each) => VENDORS[each].kind).join(", ");
  if (framework === undefined) return { fault: `The vendor must be one of ${names}.` };
  return framework === null
    ? { fault: `The form of the key does not say whose it is: name one of ${names}.` }
    : { framework, key };
}
