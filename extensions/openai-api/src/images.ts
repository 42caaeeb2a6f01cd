import { hash } from "node:crypto";
import { isRecord } from "swarmbase/extension";
import { invalid, unsupported } from "./errors.ts";

/** An image as `agent-respond` takes it, which checks its bytes and their number. */
export interface SentImage {
  readonly name: string;
  readonly media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly data: string;
}

type Part = Readonly<Record<string, unknown>>;

const DATA_URL = /^data:(image\/(?:png|jpeg|gif|webp));base64,/i;
const NAME_CHARACTERS = 8;

/** Whether a part of a message is an image, in either form of the API. */
export function isImagePart({ type }: Part): boolean {
  return type === "image_url" || type === "input_image";
}

/** The service never fetches the URL that a client names. */
export function readImage({ image_url: sent }: Part, path: string): SentImage {
  const url = isRecord(sent) ? sent["url"] : sent;
  if (typeof url !== "string") throw unsupported(path, "an image must be inline data, and not the id of a file");
  const [head, type] = DATA_URL.exec(url) ?? [];
  if (head === undefined || type === undefined) {
    if (/^https?:/i.test(url))
      throw unsupported(path, "images are not fetched; send a data: URL with the image itself");
    throw invalid(path, "must be a data: URL of a PNG, JPEG, GIF or WebP image in Base64");
  }
  const data = url.slice(head.length);
  // The same image has the same name in later requests, so that a conversation can be recognized.
  const name = `image ${hash("sha256", data).slice(0, NAME_CHARACTERS)}`;
  return { name, media_type: type.toLowerCase() as SentImage["media_type"], data };
}
