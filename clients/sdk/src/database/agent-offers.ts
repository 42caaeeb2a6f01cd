// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantParty, GrantTranscripts } from "../grants.ts";

/** The grants that name you and wait for your answer. */
export type AgentOffersView = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The agent. */
    agent_id: string;
    /** The name of the agent. */
    name: string;
    /** What the agent is for. */
    role: string | null;
    /** A URL of a picture. */
    avatar: string | null;
    /** What the agent does. */
    description: string | null;
    /** Who pays for the answers: `owner` of the agent, or `asker`. */
    payer: GrantParty;
    /** Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`. */
    approver: GrantParty;
    /** Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent. */
    transcripts: GrantTranscripts;
    /** How many runs you may start in a UTC day; null is no limit. */
    runs_per_day: number | null;
    /** What your runs may cost in a UTC day, in USD; null is no limit. */
    cost_per_day: number | null;
    /** The name of the owner, if the grant shows it. */
    owner_name: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the offer ends; null if it does not. */
    expires_at: string | null;
  };
  Relationships: [];
};
