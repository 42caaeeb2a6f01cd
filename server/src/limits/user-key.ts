const PREFIX = "user:";

/** The key of a user, apart from those of addresses and sessions. */
export function userKey(userId: string): string {
  return `${PREFIX}${userId}`;
}

export function userIdOf(key: string): string {
  if (!key.startsWith(PREFIX)) throw new Error("this is not the key of a user");
  return key.slice(PREFIX.length);
}
