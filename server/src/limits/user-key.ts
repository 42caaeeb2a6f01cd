const PREFIX = "user:";

/** The rate-limit key of a user. */
export function userKey(userId: string): string {
  return `${PREFIX}${userId}`;
}

export function userIdOfKey(key: string): string {
  if (!key.startsWith(PREFIX)) throw new Error("this is not the key of a user");
  return key.slice(PREFIX.length);
}
