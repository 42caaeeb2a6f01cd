import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import {
  describeModel,
  type Environment,
  type OfferedModel,
  type ProviderKind,
  type Settings,
} from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Adapter } from "./adapter.ts";
import { priceUsage } from "./count-usage.ts";
import { loadProviders } from "./load-providers.ts";
import { mapSettings } from "./map-settings.ts";
import { ModelError } from "../../errors/index.ts";
import type { ModelCall, ModelEvent, ModelUsage } from "./model-port.ts";
import { mayBeFallback, type Provider, type Providers } from "./provider.ts";
import { identifyProvider, type ProviderIdentity } from "./provider-identity.ts";
import type { Fetch, ProviderPorts, ProviderProtocol, VendorProtocol } from "./provider-protocol.ts";
import { requireProtocols } from "./require-protocols.ts";
import { createSimulatedProtocol } from "./simulated/simulated-protocol.ts";
import { type Sleep, sleep as systemSleep } from "./sleep.ts";
import { streamCall, type ModelTarget } from "./stream-call.ts";
import { createStreamPace } from "./stream-pace.ts";

export interface OpenModelsOptions {
  readonly settings: Settings;
  /** Has the variables that `api_key_env` of the providers file names. */
  readonly environment?: Environment | undefined;
  /** Absent means that they are loaded from the settings. */
  readonly providers?: Providers | undefined;
  /** Those of the loaded extensions. */
  readonly protocols: readonly VendorProtocol[];
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: Observer;
  readonly sleep?: Sleep;
}

interface ModelInfo {
  readonly model: string;
  readonly contextWindow: number;
  readonly hasTools: boolean;
  readonly hasImages: boolean;
  /** The model reasons before it answers, and its reasoning counts against max_tokens. */
  readonly isReasoning: boolean;
}

export interface Models {
  /** Throws a ModelError (`INVALID_MODEL`, `PROVIDER_NOT_CONFIGURED`). */
  describe(framework: Framework, model: string | null): ModelInfo;
  /** The max_tokens of a call with these settings. Throws as `describe` does. */
  maxTokens(framework: Framework, model: string | null, settings: ModelCall["settings"]): number;
  /** Retries and falls back until the first text. Throws a ModelError, or the reason of an aborted signal. */
  stream(call: ModelCall): AsyncIterable<ModelEvent>;
  /** The frameworks whose runs can use only a share of a node, so that a provider that hangs does not block the others. */
  boundedFrameworks(): readonly Framework[];
  /** In USD; null when the price is not known. */
  priceOf(framework: Framework, model: string, usage: ModelUsage): number | null;
  /** The highest price of this model and its fallbacks; null when none is known. */
  highestPriceOf(framework: Framework, model: string, usage: ModelUsage): number | null;
}

export interface OpenedModels extends Models {
  /** Calls in progress continue with the previous providers. */
  replace(providers: Providers): void;
  /** For traces. */
  identify(framework: Framework): ProviderIdentity;
}

/** For models whose context window is not known. */
const ASSUMED_CONTEXT_WINDOW = 32_768;

interface Opened {
  readonly provider: Provider;
  readonly identity: ProviderIdentity;
  /** Null means that no loaded extension has it, and the provider is not configured. */
  readonly protocol: ProviderProtocol | null;
  readonly adapter: Adapter | null;
}

export function openModels(options: OpenModelsOptions): OpenedModels {
  const { settings, clock, random, observer, sleep = systemSleep } = options;
  const opened = new OpenedProviders(options);
  const times = {
    firstByteMs: settings.providerFirstByteTimeoutMs,
    idleMs: settings.providerIdleTimeoutMs,
    totalMs: settings.providerTotalTimeoutMs,
  };
  const streamPorts = { clock, random, sleep, observer, times };

  return {
    replace: (providers) => opened.replace(providers),
    identify: (framework) => opened.identify(framework),
    describe(framework, model) {
      const { id, contextWindow, supports } = opened.findTarget(framework, model).model;
      return {
        model: id,
        contextWindow: contextWindow ?? ASSUMED_CONTEXT_WINDOW,
        hasTools: supports.tools,
        hasImages: supports.images,
        isReasoning: supports.reasoning,
      };
    },
    maxTokens(framework, model, given) {
      const target = opened.findTarget(framework, model);
      return mapSettings(given, { ...target, hasTools: false }).maxTokens;
    },
    boundedFrameworks: () => opened.bounded,
    stream: (call) => streamCall(() => opened.findTargets(call.framework, call.model), call, streamPorts),
    priceOf: (framework, model, usage) => opened.priceOf(framework, model, usage),
    highestPriceOf(framework, model, usage) {
      const prices = opened
        .findTargets(framework, model)
        .map((target) => opened.priceOf(target.provider.framework, target.model.id, usage));
      const known = prices.filter((price) => price !== null);
      return known.length === 0 ? null : Math.max(...known);
    },
  };
}

/** The providers of all frameworks, each with the protocol that its kind needs. */
class OpenedProviders {
  readonly #options: OpenModelsOptions;
  readonly #protocols: ReadonlyMap<ProviderKind, ProviderProtocol>;
  readonly #ports: ProviderPorts;
  #opened: ReadonlyMap<Framework, Opened>;
  #bounded: readonly Framework[];

  constructor(options: OpenModelsOptions) {
    const { settings, sleep = systemSleep } = options;
    const simulated = createSimulatedProtocol({
      firstTokenMs: settings.simulatedFirstTokenDelayMs,
      tokensPerSecond: settings.simulatedTokensPerSecond,
      sleep,
    });
    this.#options = options;
    this.#protocols = new Map([simulated, ...options.protocols].map((protocol) => [protocol.kind, protocol]));
    this.#ports = { fetch: options.fetch, pace: createStreamPace() };
    this.#opened = this.#openAll(options.providers ?? loadProviders(settings, options.environment));
    this.#bounded = findBounded(this.#opened);
  }

  get bounded(): readonly Framework[] {
    return this.#bounded;
  }

  replace(providers: Providers): void {
    this.#opened = this.#openAll(providers);
    this.#bounded = findBounded(this.#opened);
  }

  identify(framework: Framework): ProviderIdentity {
    const found = this.#opened.get(framework);
    if (found === undefined) throw notConfigured(framework, undefined);
    return found.identity;
  }

  findTarget(framework: Framework, model: string | null): ModelTarget {
    const { provider, protocol, adapter } = this.#opened.get(framework) ?? {};
    if (!provider || !protocol || !adapter) throw notConfigured(framework, provider);
    return { provider, adapter, mapping: protocol, model: findModel(provider, model) };
  }

  /** The model and its fallbacks. */
  findTargets(framework: Framework, model: string | null): readonly ModelTarget[] {
    const first = this.findTarget(framework, model);
    const others = first.provider.fallback.flatMap((fallback) => {
      const other = this.#opened.get(fallback);
      return other?.adapter && mayBeFallback(other.provider) ? [this.findTarget(fallback, null)] : [];
    });
    return [first, ...others];
  }

  priceOf(framework: Framework, model: string, usage: ModelUsage): number | null {
    const { provider, protocol } = this.#opened.get(framework) ?? {};
    if (provider?.kind === "simulated") return 0;
    const price = provider?.offered.models.find(({ id }) => id === model)?.price ?? null;
    return price === null || !protocol ? null : priceUsage(price, protocol.cachePrices, usage);
  }

  #openAll(providers: Providers): ReadonlyMap<Framework, Opened> {
    requireProtocols(providers, this.#options.protocols);
    return new Map(FRAMEWORKS.map((framework) => [framework, this.#open(providers[framework])]));
  }

  #open(provider: Provider): Opened {
    const protocol = this.#protocols.get(provider.kind) ?? null;
    const adapter = provider.state === "ready" ? (protocol?.open(provider, this.#ports) ?? null) : null;
    return { provider, identity: identifyProvider(provider), protocol, adapter };
  }
}

/** A simulated provider does not hang, and a single provider cannot block others. */
function findBounded(opened: ReadonlyMap<Framework, Opened>): readonly Framework[] {
  const usable = [...opened.values()].filter(({ adapter }) => adapter !== null);
  if (usable.length < 2) return [];
  return usable.flatMap(({ provider }) => (provider.kind === "simulated" ? [] : [provider.framework]));
}

function findModel({ framework, kind, offered }: Provider, requested: string | null): OfferedModel {
  const id = requested === null || requested === "" ? offered.defaultModel : requested;
  const listed = offered.models.find((model) => model.id === id);
  if (listed !== undefined) return listed;
  if (id !== "" && (offered.isOpen || offered.models.length === 0)) return describeModel(kind, id);
  throw new ModelError("INVALID_MODEL", `${framework} does not offer the model ${id.slice(0, 200)}`);
}

function notConfigured(framework: Framework, provider: Provider | undefined): ModelError {
  const why = provider?.state === "keyless" ? "has no API key" : "is not configured";
  return new ModelError("PROVIDER_NOT_CONFIGURED", `${framework} ${why}`);
}
