/** The presence of one channel. An update is a new entry with a new ref. */
export interface PresenceEntry {
  readonly topicKey: string;
  readonly key: string;
  readonly ref: string;
  /** JSON text of the members, without braces. */
  readonly members: string;
  /** Whether it is of a client that has not signed in. */
  readonly isOfVisitor: boolean;
}

const OVERHEAD_BYTES = 32;

/** The approximate size in a frame. */
export function sizeOfEntry({ key, ref, members }: PresenceEntry): number {
  return Buffer.byteLength(key) + ref.length + Buffer.byteLength(members) + OVERHEAD_BYTES;
}

/** `{key: {metas: [{phx_ref, …}]}}` */
export function renderPresences(entries: Iterable<PresenceEntry>): string {
  const byKey = Map.groupBy(entries, ({ key }) => key);
  const renderMeta = ({ ref, members }: PresenceEntry): string =>
    `{"phx_ref":${JSON.stringify(ref)}${members === "" ? "" : `,${members}`}}`;
  const keys = Array.from(
    byKey,
    ([key, group]) => `${JSON.stringify(key)}:{"metas":[${group.map(renderMeta).join()}]}`,
  );
  return `{${keys.join()}}`;
}

/** The payload as JSON without braces and without refs, which the service sets. */
export function renderMembers(payload: Readonly<Record<string, unknown>>): string {
  const { phx_ref: _ref, phx_ref_prev: _previous, ...members } = payload;
  return JSON.stringify(members).slice(1, -1);
}
