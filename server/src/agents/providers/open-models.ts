import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { describeModel, type Environment, type OfferedModel, type Settings } from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Adapter } from "./adapter.ts";
import { priceUsage } from "./count-usage.ts";
import { loadProviders } from "./load-providers.ts";
import { mapSettings } from "./map-settings.ts";
import { ModelError } from "./model-error.ts";
import type { ModelFacts, Models } from "./model-port.ts";
import type { Provider, Providers } from "./provider.ts";
import { createSimulatedAdapter } from "./simulated/simulated-adapter.ts";
import { type Sleep, sleep as systemSleep } from "./sleep.ts";
import { streamCall, type Target } from "./stream-call.ts";
import { createStreamPace } from "./stream-pace.ts";
import { createVendorAdapter } from "./vendor-adapter.ts";
import type { Fetch } from "./watched-fetch.ts";

export interface OpenModelsOptions {
  readonly settings: Settings;
  /** Where `api_key_env` of the providers file is looked up. */
  readonly environment?: Environment;
  /** As already loaded, where somebody needed them earlier. */
  readonly providers?: Providers;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: Observer;
  readonly sleep?: Sleep;
}

export interface OpenedModels extends Models {
  /** Calls under way go on with what they began with. */
  replace(providers: Providers): void;
}

/** What a model is taken to hold that nobody has described. */
const ASSUMED_CONTEXT_WINDOW = 32_768;

interface Opened {
  readonly provider: Provider;
  readonly adapter: Adapter | null;
}

export function openModels(options: OpenModelsOptions): OpenedModels {
  const { settings, clock, random, observer, sleep = systemSleep } = options;
  const times = {
    firstByteMs: settings.providerFirstByteTimeoutMs,
    idleMs: settings.providerIdleTimeoutMs,
    totalMs: settings.providerTotalTimeoutMs,
  };
  const streamPace = createStreamPace();
  const pace = {
    firstTokenMs: settings.simulatedFirstTokenMs,
    tokensPerSecond: settings.simulatedTokensPerSecond,
    sleep,
  };

  const open = (provider: Provider): Opened => {
    if (provider.state !== "ready") return { provider, adapter: null };
    if (provider.kind === "simulated") return { provider, adapter: createSimulatedAdapter(pace) };
    return {
      provider,
      adapter: createVendorAdapter(provider, provider.kind, { fetch: options.fetch, pace: streamPace }),
    };
  };
  const openAll = (providers: Providers) =>
    new Map(FRAMEWORKS.map((framework) => [framework, open(providers[framework])]));
  let opened = openAll(options.providers ?? loadProviders(settings, options.environment));
  let bounded = findBounded(opened);

  const aim = (framework: Framework, model: string | null): Target => {
    const found = opened.get(framework);
    if (found === undefined || found.adapter === null) throw notConfigured(framework, found?.provider);
    return { provider: found.provider, adapter: found.adapter, model: findModel(found.provider, model) };
  };

  const aimAll = (framework: Framework, model: string | null): readonly Target[] => {
    const first = aim(framework, model);
    const others = first.provider.fallback.flatMap((fallback) => {
      const other = opened.get(fallback);
      // Nothing ever falls back to simulation.
      const isUsable = other?.adapter && other.provider.kind !== "simulated";
      return isUsable && other.provider.offered.defaultModel !== "" ? [aim(fallback, null)] : [];
    });
    return [first, ...others];
  };
  const ports = { clock, random, sleep, observer, times };
  const priceOf: Models["priceOf"] = (framework, model, usage) => {
    const provider = opened.get(framework)?.provider;
    if (provider === undefined) return null;
    if (provider.kind === "simulated") return 0;
    const price = provider.offered.models.find(({ id }) => id === model)?.price ?? null;
    return price === null ? null : priceUsage(price, usage);
  };

  return {
    replace(providers) {
      opened = openAll(providers);
      bounded = findBounded(opened);
    },
    describe(framework, model) {
      const { provider, model: found } = aim(framework, model);
      return renderFacts(provider, found);
    },
    maxTokens(framework, model, settings) {
      const { provider, model: found } = aim(framework, model);
      return mapSettings(settings, { model: found, kind: provider.kind, hasTools: false }).maxTokens;
    },
    boundedFrameworks: () => bounded,
    stream: (call) => streamCall(() => aimAll(call.framework, call.model), call, ports),
    priceOf,
    highestPriceOf(framework, model, usage) {
      const prices = aimAll(framework, model).map((target) =>
        priceOf(target.provider.framework, target.model.id, usage),
      );
      const known = prices.filter((price) => price !== null);
      return known.length === 0 ? null : Math.max(...known);
    },
  };
}

/** A simulated provider is part of this process and does not hang; the only provider has nobody to hold up. */
function findBounded(opened: ReadonlyMap<Framework, Opened>): readonly Framework[] {
  const usable = [...opened.values()].filter(({ adapter }) => adapter !== null);
  if (usable.length < 2) return [];
  return usable.flatMap(({ provider }) => (provider.kind === "simulated" ? [] : [provider.framework]));
}

function findModel({ framework, kind, offered }: Provider, asked: string | null): OfferedModel {
  const id = asked === null || asked === "" ? offered.defaultModel : asked;
  const listed = offered.models.find((model) => model.id === id);
  if (listed !== undefined) return listed;
  if (id !== "" && (offered.isOpen || offered.models.length === 0)) return describeModel(kind, id);
  throw new ModelError("INVALID_MODEL", `${framework} does not offer the model ${id.slice(0, 200)}`);
}

function renderFacts({ framework, kind }: Provider, model: OfferedModel): ModelFacts {
  return {
    framework,
    model: model.id,
    contextWindow: model.contextWindow ?? ASSUMED_CONTEXT_WINDOW,
    hasTools: model.supports.tools,
    isReasoning: model.supports.reasoning,
    isSimulated: kind === "simulated",
  };
}

function notConfigured(framework: Framework, provider: Provider | undefined): ModelError {
  const why = provider?.state === "keyless" ? "has no API key" : "is not configured";
  return new ModelError("PROVIDER_NOT_CONFIGURED", `${framework} ${why}`);
}
