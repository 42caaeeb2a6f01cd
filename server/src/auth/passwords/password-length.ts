/** Longer ones are refused before anything is computed from them. */
export const MAX_PASSWORD_LENGTH = 1024;

/** Characters as people count them, not UTF-16 units. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

export function isTooLong(password: string): boolean {
  // A character takes at most two units, so most of a ten-megabyte text is never looked at.
  return password.length > 2 * MAX_PASSWORD_LENGTH || countCharacters(password) > MAX_PASSWORD_LENGTH;
}
