import { createAddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import {
  createProviderChecks,
  frameworkOfKey,
  fromStored,
  type GivenKey,
  loadProviders,
  mayDetect,
  openModels,
  type Provider,
  type ProviderFaults,
  type Providers,
  type ProviderTest,
  requireProtocols,
  VENDORS,
} from "../../agents/index.ts";
import { protocolsOf } from "../../extensions/index.ts";
import { readAuthorities } from "../../webhooks/index.ts";
import type { NodeContext } from "../node-context.ts";

export type TestContext = Pick<
  NodeContext,
  "settings" | "environment" | "extensions" | "clock" | "observer" | "signal"
>;

const TIMEOUT_MS = 5_000;
const PROXY_VARIABLES = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/**
 * Tests each key with a small call, for a service that nobody but its developer uses. Resolves within five seconds with what is wrong,
 * and never rejects.
 */
export async function testKeys(context: TestContext, providers: Providers): Promise<ProviderFaults> {
  if (!mayDetect(context.settings)) return {};
  // A server without a key is not asked: the first answer of a model of an Ollama can take minutes.
  const withKeys = Object.values(providers).filter(({ kind, key }) => kind !== "simulated" && key() !== null);
  const tests = withKeys.map(async (provider) => [provider.framework, await findFault(context, providers, provider)]);
  const faults = (await Promise.all(tests)).filter(([, fault]) => fault !== null);
  return Object.fromEntries(faults) as ProviderFaults;
}

async function findFault(context: TestContext, providers: Providers, provider: Provider): Promise<string | null> {
  const test = await testProvider(context, providers, provider);
  return test.is_ok ? null : `NOT USABLE: ${test.message}`;
}

export type KeyTest = Pick<ProviderTest, "is_ok" | "message" | "model" | "duration_ms">;

/** Tests a key that is not configured. Throws a SettingsError when no extension speaks to its vendor. */
export async function testKey(context: TestContext, { framework, key }: GivenKey): Promise<KeyTest> {
  const { settings, environment, extensions } = context;
  const provider = fromStored(framework, key, environment);
  const providers = { ...loadProviders(settings, environment), [framework]: provider };
  requireProtocols(providers, protocolsOf(extensions));
  return testProvider(context, providers, provider);
}

/** One small call to a provider, over connections of its own. Never rejects. */
async function testProvider(context: TestContext, providers: Providers, provider: Provider): Promise<KeyTest> {
  const { settings, environment, extensions, clock, observer } = context;
  const startedAtMs = performance.now();
  const guarded = openGuardedFetch({
    policy: createAddressPolicy({ allowedCidrs: [] }),
    ca: await readAuthorities({ localFile: null, ownFile: settings.webhookCaFile }).catch(() => []),
    connectionsPerOrigin: 1,
    exemptUrls: provider.baseUrl === null ? [] : [provider.baseUrl],
  });
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const models = openModels({
      settings,
      providers,
      protocols: protocolsOf(extensions),
      // The types of the package's fetch and the platform's differ in members that are not used here.
      fetch: guarded.fetch as unknown as typeof globalThis.fetch,
      clock,
      random: Math.random,
      observer,
    });
    const test = await createProviderChecks(models, () => providers).test(provider.framework, null, signal);
    if (test.is_ok) return test;
    const proxy = test.error_code === "PROVIDER_ERROR" ? nameProxy(environment) : "";
    const issuer = test.error_code === "PROVIDER_AUTH_FAILED" ? nameIssuer(provider) : "";
    return { ...test, message: `${test.message}${proxy}${issuer}` };
  } catch {
    const message = `the provider did not answer within ${TIMEOUT_MS / 1000} seconds${nameProxy(environment)}`;
    return { is_ok: false, message, model: null, duration_ms: Math.round(performance.now() - startedAtMs) };
  } finally {
    await guarded.close();
  }
}

/** A key in the variable of another vendor is a common mistake. */
function nameIssuer({ framework, key }: Provider): string {
  const issuer = frameworkOfKey(key() ?? "");
  return issuer === null || issuer === framework ? "" : `; the key has the form of one of ${VENDORS[issuer].title}`;
}

function nameProxy(environment: NodeContext["environment"]): string {
  const variable = PROXY_VARIABLES.find((name) => (environment[name] ?? "") !== "");
  return variable === undefined ? "" : `; the service connects without the proxy of ${variable}`;
}
