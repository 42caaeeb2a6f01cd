const MAX_LENGTH = 300;

/** Text of somebody else for a terminal: it must not look like another line, control the terminal, or fill it. */
export function printable(text: string, maxLength = MAX_LENGTH): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\u{fffd}");
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}…` : plain;
}
