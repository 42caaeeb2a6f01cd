import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const DRAFT = /^\.data\.verified-copy\.restoring-(\d+)$/;

/** The processes that verify or have left a temporary database beside the data directory `data`. */
export async function listDraftPids(home: string): Promise<readonly number[]> {
  return (await readdir(home)).flatMap((name) => Number(DRAFT.exec(name)?.[1] ?? Number.NaN) || []);
}

/** Makes the next verification due. */
export async function removeRecords(archive: string): Promise<void> {
  for (const name of ["verification.json", "verified.json"]) await rm(join(archive, name), { force: true });
}

export async function readGauge(metricsPort: number, name: string): Promise<number | null> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const value = new RegExp(`^swarmbase_backup_${name} (\\S+)`, "m").exec(text)?.[1];
  return value === undefined ? null : Number(value);
}
