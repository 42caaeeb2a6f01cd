import type { PresenceEntry } from "./presence-state.ts";

/** `{key: {metas: [{phx_ref, …}]}}` */
export function renderPresences(entries: Iterable<PresenceEntry>): string {
  const metas = new Map<string, string[]>();
  for (const { key, ref, members } of entries) {
    const meta = `{"phx_ref":${JSON.stringify(ref)}${members === "" ? "" : `,${members}`}}`;
    const ofKey = metas.get(key);
    if (ofKey === undefined) metas.set(key, [meta]);
    else ofKey.push(meta);
  }
  const keys = [...metas].map(([key, list]) => `${JSON.stringify(key)}:{"metas":[${list.join()}]}`);
  return `{${keys.join()}}`;
}

export function renderDiff(joins: Iterable<PresenceEntry>, leaves: Iterable<PresenceEntry>): string {
  return `{"joins":${renderPresences(joins)},"leaves":${renderPresences(leaves)}}`;
}

/** The payload as JSON without braces and without refs, which the service sets. */
export function renderMembers(payload: Readonly<Record<string, unknown>>): string {
  const { phx_ref: _ref, phx_ref_prev: _previous, ...members } = payload;
  return JSON.stringify(members).slice(1, -1);
}
