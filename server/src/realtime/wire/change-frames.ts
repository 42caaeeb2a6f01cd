import type { OutFrame, Vsn } from "./protocol.ts";
import { renderFrameEnds } from "./render-frame.ts";

/** Shares the frame of a change among channels with equal topic, join ref and binding ids, which clients usually count alike. */
export class ChangeFrames {
  readonly #groups = new Map<string, ChangeGroup>();
  #rendered: ChangeGroup[] = [];

  acquire(vsn: Vsn, topic: string, joinRef: string | null): ChangeGroup {
    const key = JSON.stringify([vsn, joinRef, topic]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      const ends = renderFrameEnds(vsn, { joinRef, ref: null, topic, event: "postgres_changes" });
      group = new ChangeGroup(key, ends, (rendered) => this.#clearLater(rendered));
      this.#groups.set(key, group);
    }
    group.members += 1;
    return group;
  }

  release(group: ChangeGroup): void {
    group.members -= 1;
    if (group.members === 0) this.#groups.delete(group.key);
  }

  /** A change is delivered to all channels synchronously; its frames are not needed afterwards. */
  #clearLater(group: ChangeGroup): void {
    this.#rendered.push(group);
    if (this.#rendered.length > 1) return;
    setImmediate(() => {
      for (const each of this.#rendered) each.clear();
      this.#rendered = [];
    });
  }
}

export class ChangeGroup {
  members = 0;
  readonly key: string;
  readonly #head: string;
  readonly #tail: string;
  readonly #onRender: (group: ChangeGroup) => void;
  readonly #frames = new Map<string, OutFrame>();
  #data: string | null = null;

  constructor(key: string, ends: { head: string; tail: string }, onRender: (group: ChangeGroup) => void) {
    this.key = key;
    this.#head = ends.head;
    this.#tail = ends.tail;
    this.#onRender = onRender;
  }

  render(ids: readonly number[], data: string): OutFrame {
    const idText = ids.join();
    if (data !== this.#data) {
      if (this.#data === null) this.#onRender(this);
      this.#data = data;
      this.#frames.clear();
    }
    let frame = this.#frames.get(idText);
    if (frame === undefined) {
      const bytes = Buffer.from(`${this.#head}{"ids":[${idText}],"data":${data}}${this.#tail}`);
      frame = { bytes, isBinary: false };
      this.#frames.set(idText, frame);
    }
    return frame;
  }

  clear(): void {
    this.#data = null;
    this.#frames.clear();
  }
}
