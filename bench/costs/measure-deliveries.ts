import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Closers } from "../load/closers.ts";
import type { Progress } from "../rest/progress.ts";
import { startReceiver } from "../webhooks/start-receiver.ts";
import {
  type DeliveryService,
  openDeliveryService,
  type OperationCpu,
  type Source,
  type SteadyRound,
} from "./delivery-service.ts";

export interface DeliveryTiming {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly fannedOutEvents: number;
  readonly drained: number;
}

/** One service, by the source of its events. A value for each round. */
export interface DeliveryCosts {
  /** Events that nobody listens to, at the same rate. */
  readonly unheard: Readonly<Record<Source, readonly OperationCpu[]>>;
  readonly delivered: Readonly<Record<Source, readonly SteadyRound[]>>;
  /** Of one delivery. */
  readonly fannedOut: Readonly<Record<Source, readonly OperationCpu[]>>;
  readonly drained: readonly OperationCpu[];
  /** Milliseconds of CPU in a second without requests. */
  readonly idleMsPerSecond: number;
}

export interface ComparedCosts {
  readonly after: DeliveryCosts;
  /** Of the other checkout, which only inserts agents. Its rounds take turns with those of this one. */
  readonly before: DeliveryCosts | null;
}

type MutableCosts = { -readonly [Name in keyof DeliveryCosts]: DeliveryCosts[Name] };

interface Measured {
  readonly service: DeliveryService;
  readonly sources: readonly Source[];
  readonly costs: MutableCosts;
}

const IDLE_SECONDS = 5;
const REPOSITORY = resolve(import.meta.dirname, "../..");

/** This checkout, and another one if its folder is named, with one receiver for both. */
export async function measureDeliveries(
  closers: Closers,
  progress: Progress,
  timing: DeliveryTiming,
  beforeFolder: string | undefined,
): Promise<ComparedCosts> {
  progress.stage("the services and a receiver start");
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  const caFile = join(folder, "receiver.crt");
  const receiver = await startReceiver(caFile, closers);
  const settings = { WEBHOOK_CA_FILE: caFile, WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8" };
  const open = async (name: string, checkout: string, sources: readonly Source[]): Promise<Measured> => {
    const options = { name, folder: checkout, settings, emitsAppEvents: sources.includes("app") };
    const service = await openDeliveryService(options, receiver, closers);
    progress.stage(`warming up: ${name}`);
    const costs = await warmUp(service, sources, timing);
    return { service, sources, costs };
  };
  const before = beforeFolder === undefined ? null : await open("the version before", resolve(beforeFolder), ["agent"]);
  const after = await open("this version", REPOSITORY, ["agent", "app"]);
  const services = before === null ? [after] : [before, after];
  for (let round = 1; round <= timing.rounds; round += 1) {
    progress.stage(`round ${round} of ${timing.rounds}`);
    await measureRound(round % 2 === 0 ? services.toReversed() : services, timing);
  }
  return { after: after.costs, before: before?.costs ?? null };
}

async function warmUp(
  service: DeliveryService,
  sources: readonly Source[],
  { warmUpSeconds, fannedOutEvents, drained }: DeliveryTiming,
): Promise<MutableCosts> {
  for (const source of sources) {
    await service.sendSteadily(source, warmUpSeconds, false);
    await service.sendSteadily(source, warmUpSeconds, true);
    await service.fanOut(source, fannedOutEvents);
  }
  await service.drain(drained);
  const { serviceMs, databaseMs } = await service.idle(IDLE_SECONDS);
  return {
    unheard: { agent: [], app: [] },
    delivered: { agent: [], app: [] },
    fannedOut: { agent: [], app: [] },
    drained: [],
    idleMsPerSecond: serviceMs + databaseMs,
  };
}

/** The services take turns in each kind of work, so that other load of the machine affects both. */
async function measureRound(services: readonly Measured[], timing: DeliveryTiming): Promise<void> {
  const { seconds, fannedOutEvents, drained } = timing;
  const inTurns = async (work: (measured: Measured, source: Source) => Promise<void>): Promise<void> => {
    for (const measured of services) for (const source of measured.sources) await work(measured, source);
  };
  await inTurns(async ({ service, costs }, source) => {
    costs.unheard = add(costs.unheard, source, await service.sendSteadily(source, seconds, false));
  });
  await inTurns(async ({ service, costs }, source) => {
    costs.delivered = add(costs.delivered, source, await service.sendSteadily(source, seconds, true));
  });
  await inTurns(async ({ service, costs }, source) => {
    costs.fannedOut = add(costs.fannedOut, source, await service.fanOut(source, fannedOutEvents));
  });
  for (const { service, costs } of services) costs.drained = [...costs.drained, await service.drain(drained)];
}

function add<Round>(
  rounds: Readonly<Record<Source, readonly Round[]>>,
  source: Source,
  round: Round,
): Readonly<Record<Source, readonly Round[]>> {
  return { ...rounds, [source]: [...rounds[source], round] };
}
