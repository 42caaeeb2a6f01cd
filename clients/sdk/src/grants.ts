/** To whom an agent is granted. */
export const GRANT_AUDIENCES = ["everyone", "claim", "user"] as const;
export type GrantAudience = (typeof GRANT_AUDIENCES)[number];

/** Who pays for answers, and who approves tool calls. */
export const GRANT_PARTIES = ["owner", "asker"] as const;
export type GrantParty = (typeof GRANT_PARTIES)[number];

/** Who reads the conversations of whoever asks. */
export const GRANT_TRANSCRIPTS = ["private", "owner"] as const;
export type GrantTranscripts = (typeof GRANT_TRANSCRIPTS)[number];
