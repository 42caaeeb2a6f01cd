const MAX_LENGTH = 100;
const ZERO_WIDTH_SPACE = "\u200b";

/** Free text on one line, without characters that turn or hide others. */
export function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * A name that a user wrote, as part of a sentence that the service writes to somebody else: bounded, and without anything that a mail
 * program would turn into a link.
 */
export function quoteName(name: string): string {
  const line = toOneLine(name);
  const characters = Array.from(line);
  const short = characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join("")}…` : line;
  const isAddress = /^[^\s@/:]+@[^\s@/:]+$/.test(short);
  return isAddress ? short : short.replace(/(?<=\S)[.:/](?=\S)/g, `$&${ZERO_WIDTH_SPACE}`);
}
