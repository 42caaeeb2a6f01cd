import { randomBytes } from "node:crypto";
import type { Archive, ChainDescription } from "../archive/archive.ts";
import { findEnd } from "../archive/join-wal.ts";
import { parseLsn, renderLsn, segmentStart } from "../archive/lsn.ts";
import { type ListedChain, newId } from "../archive/names.ts";
import type { ServerIdentity, ServerSession } from "./sql/server-session.ts";

interface OpenChain {
  readonly id: string;
  readonly slotName: string;
  /** Where the next WAL belongs. */
  readonly end: bigint;
  /** Why no existing chain could be continued; null when one is. */
  readonly newBecause: string | null;
}

interface OpenChainOptions {
  readonly archive: Archive;
  readonly session: ServerSession;
  readonly identity: ServerIdentity;
  readonly slotPrefix: string;
  readonly signal: AbortSignal;
  now(): Date;
}

/**
 * Continues the chain of this server where its WAL ends, if its slot has kept everything since. Otherwise begins a new one: the
 * state is in the archive and in the slot alone, so it does not matter where an earlier process was interrupted. Each chain has a
 * slot of its own, so a server never continues the chain of another one.
 */
export async function openChain(options: OpenChainOptions): Promise<OpenChain> {
  const { archive, session, identity, slotPrefix, signal } = options;
  const slots = new Set(await session.listSlots(slotPrefix));
  const chains = (await archive.list(signal)).filter(({ hasDescription }) => hasDescription);
  if (chains.length === 0) return beginChain(options, "the archive is empty");
  const newest = chains.findLast(({ id }) => slots.has(slotOf(slotPrefix, id)));
  if (newest === undefined) return beginChain(options, "the archive has none of this server");
  const slotName = slotOf(slotPrefix, newest.id);
  const { slot, flushed } = await session.readState(slotName);
  if (slot === null) return beginChain(options, "the database no longer has the WAL since the last archived position");
  const description = await archive.getChain(newest.id, signal);
  if (description.systemId !== identity.systemId || description.timeline !== identity.timeline)
    return beginChain(options, "the archive is of the time before a failover");
  const end = findContinuation(newest, description);
  if (end === null) return beginChain(options, "the archive has a gap in its WAL");
  if (end < slot.restart || end > flushed)
    return beginChain(options, "the archive and the database have no position of the WAL in common");
  return { id: newest.id, slotName, end, newBecause: null };
}

function findContinuation({ wal }: ListedChain, { startLsn }: ChainDescription): bigint | null {
  try {
    return findEnd(wal, parseLsn(startLsn));
  } catch {
    return null;
  }
}

async function beginChain(options: OpenChainOptions, newBecause: string): Promise<OpenChain> {
  const { archive, session, identity, slotPrefix, signal, now } = options;
  const id = newId(now(), randomBytes(4).toString("hex"));
  const slotName = slotOf(slotPrefix, id);
  for (const former of await session.listSlots(slotPrefix)) await session.dropSlot(former);
  await session.createSlot(slotName);
  const { flushed } = await session.readState(slotName);
  const end = segmentStart(flushed, BigInt(identity.segmentBytes));
  const description = { ...identity, startLsn: renderLsn(end), createdAt: now().toISOString() };
  try {
    await archive.putChain(id, description, signal);
  } catch (error) {
    // Without a chain nobody reads the slot, and the database would keep its WAL for nothing.
    await session.dropSlot(slotName).catch(() => {});
    throw error;
  }
  return { id, slotName, end, newBecause };
}

function slotOf(prefix: string, chain: string): string {
  return `${prefix}${chain.slice(chain.lastIndexOf("-") + 1)}`;
}
