import type { ModelImage, ModelMessage } from "../providers/model-port.ts";

/** Each call of the model sends all images of the turn again, and some providers reject more. */
const MAX_IMAGES = 20;
const MAX_IMAGE_CHARS = 8_000_000;

interface WithImages {
  readonly output?: string;
  readonly images?: readonly ModelImage[];
}

/** Removes images and tells the model so, which can call the tool again. A turn that waits is stored without its images. */
export function dropImages<Item extends object>(item: Item & WithImages): Item {
  const { images, ...rest } = item;
  if (images === undefined || images.length === 0) return item;
  return { ...rest, output: `${rest.output ?? ""}\n[the images are no longer available]` } as unknown as Item;
}

/** Keeps the images of the newest results, as many as a call may send. */
export function keepNewestImages(messages: readonly ModelMessage[]): ModelMessage[] {
  let imagesLeft = MAX_IMAGES;
  let charsLeft = MAX_IMAGE_CHARS;
  return messages
    .toReversed()
    .map((message) => {
      if (message.role !== "tool" || message.images === undefined) return message;
      imagesLeft -= message.images.length;
      charsLeft -= message.images.reduce((sum, { data }) => sum + data.length, 0);
      return imagesLeft < 0 || charsLeft < 0 ? dropImages(message) : message;
    })
    .toReversed();
}

/** The number of messages before the first one that changed. */
export function countUnchanged(before: readonly ModelMessage[], after: readonly ModelMessage[]): number {
  const index = before.findIndex((message, at) => after[at] !== message);
  return index === -1 ? before.length : index;
}
