import { setTimeout as sleep } from "node:timers/promises";
import { openConnection, renderRequest } from "../load/http-connection.ts";
import type { Asked } from "../rest/child.ts";
import { streamRun } from "./event-stream.ts";
import type { ProviderAnswer, ProviderQuestion } from "./provider-process.ts";
import { machineMs } from "./script-marker.ts";
import type { Swarmbase } from "./swarmbase.ts";

export type Provider = Asked<ProviderQuestion, ProviderAnswer>;

const FIRST_BYTE_DELAY_MS = 30;
const PIECES_PER_SECOND = 20;
const CUT_TIMEOUT_MS = 10_000;
/** The number of streams that are started at a time. */
const STARTED_AT_ONCE = 10;

/** From the provider's write of its first piece to the client's read of the frame with it, one run at a time. */
export async function measureFirstByte(swarmbase: Swarmbase, runs: number): Promise<number[]> {
  const script = { delayMs: FIRST_BYTE_DELAY_MS, pieces: 5, piecesPerSecond: 0, isStamped: true };
  const [swarmId] = await swarmbase.createSwarms({ count: 1, script });
  const delaysMs: number[] = [];
  const warmUp = Math.ceil(runs / 5);
  for (let run = 0; run < runs + warmUp; run += 1) {
    const { ended } = await streamRun(swarmbase, swarmId ?? "", {
      onDelta: (frame) => {
        const stamp = /at:(\d+\.?\d*):/.exec(frame)?.[1];
        if (stamp !== undefined && run >= warmUp) delaysMs.push(machineMs() - Number(stamp));
      },
    });
    await ended;
  }
  return delaysMs;
}

/** From sending a cancel to the end of the provider's connection. */
export async function measureCancel(swarmbase: Swarmbase, provider: Provider, runs: number): Promise<number[]> {
  const script = { delayMs: 0, pieces: 2_000, piecesPerSecond: PIECES_PER_SECOND, isStamped: false };
  const [swarmId] = await swarmbase.createSwarms({ count: 1, script });
  const line = await openConnection(swarmbase.target);
  const delaysMs: number[] = [];
  await provider.ask({ kind: "report" });
  for (let run = 0; run < runs; run += 1) {
    const spoke = Promise.withResolvers<void>();
    const { runId, ended } = await streamRun(swarmbase, swarmId ?? "", { onDelta: () => spoke.resolve() });
    await spoke.promise;
    const askedAtMs = machineMs();
    const status = await line.send(
      renderRequest(swarmbase.target, {
        method: "POST",
        path: "/functions/v1/agent-respond",
        headers: swarmbase.headers,
        body: JSON.stringify({ action: "cancel", run_id: runId }),
      }),
    );
    if (status >= 300) throw new Error(`A cancel was answered with ${status}.`);
    delaysMs.push((await waitForCut(provider)) - askedAtMs);
    const last = await ended;
    if (last !== "run.cancelled") throw new Error(`A cancelled run ended with ${last}.`);
  }
  line.close();
  return delaysMs;
}

async function waitForCut(provider: Provider): Promise<number> {
  for (const deadlineMs = machineMs() + CUT_TIMEOUT_MS; machineMs() < deadlineMs; await sleep(5)) {
    const [cutAtMs] = (await provider.ask({ kind: "report" })).cutsAtMs;
    if (cutAtMs !== undefined) return cutAtMs;
  }
  throw new Error("The provider's connection stayed open.");
}

export interface LiveStreams {
  readonly streams: number;
  readonly piecesPerSecond: number;
  /** From the provider's last pieces to the last client's last frame, when all streams end together. */
  readonly endMs: number;
  readonly loopDelayP50Ms: number;
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  /** Share of one of the two cores. */
  readonly cpuShare: number;
  readonly rssPerStreamBytes: number;
  readonly heapPerStreamBytes: number;
}

/** Pieces that arrive together may be sent in one frame. */
const countPieces = (frame: string): number => frame.split("word ").length - 1;
const END_TIMEOUT_MS = 120_000;

/**
 * Many parallel runs, each with its own swarm, agent and client; measured while all of them are running. Then all of
 * them must complete.
 */
export async function measureLiveStreams(
  swarmbase: Swarmbase,
  provider: Provider,
  { streams, windowMs }: { readonly streams: number; readonly windowMs: number },
): Promise<LiveStreams> {
  const script = { delayMs: 0, pieces: 3_000, piecesPerSecond: PIECES_PER_SECOND, isStamped: false };
  const swarmIds = await swarmbase.createSwarms({ count: streams, script });
  const before = await swarmbase.readProbe(true);
  let pieces = 0;
  const ends: string[] = [];
  const listener = { onDelta: (frame: string) => void (pieces += countPieces(frame)) };
  for (let at = 0; at < streams; at += STARTED_AT_ONCE)
    await Promise.all(
      swarmIds.slice(at, at + STARTED_AT_ONCE).map(async (swarmId) => {
        const run = await streamRun(swarmbase, swarmId, listener);
        void run.ended.then(
          (last) => ends.push(last),
          (error: unknown) => ends.push(String(error)),
        );
      }),
    );
  await sleep(windowMs / 4);
  const start = await swarmbase.readProbe(false);
  const [piecesBefore, startedAtMs] = [pieces, machineMs()];
  await sleep(windowMs);
  const seconds = (machineMs() - startedAtMs) / 1_000;
  const piecesPerSecond = (pieces - piecesBefore) / seconds;
  const during = await swarmbase.readProbe(false);
  const after = await swarmbase.readProbe(true);
  if (ends.length > 0) throw new Error(`${ends.length} of ${streams} streams ended early: ${ends[0]}`);
  const endingAtMs = machineMs();
  await provider.ask({ kind: "finish" });
  while (ends.length < streams && machineMs() - endingAtMs < END_TIMEOUT_MS) await sleep(50);
  const completed = ends.filter((last) => last === "run.completed").length;
  if (completed < streams) throw new Error(`${completed} of ${streams} streams completed.`);
  return {
    streams,
    piecesPerSecond,
    endMs: machineMs() - endingAtMs,
    loopDelayP50Ms: during.loopDelayP50Ms,
    loopDelayP99Ms: during.loopDelayP99Ms,
    loopDelayMaxMs: during.loopDelayMaxMs,
    cpuShare: (during.cpuMs - start.cpuMs) / 1_000 / seconds,
    rssPerStreamBytes: (during.rssBytes - before.rssBytes) / streams,
    heapPerStreamBytes: (after.heapBytes - before.heapBytes) / streams,
  };
}
