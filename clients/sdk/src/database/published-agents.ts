// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantParty, GrantTranscripts } from "../grants.ts";

/** The agents of others that you may ask, and what you should know before. */
export type PublishedAgentsView = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The name of the agent. */
    name: string;
    /** What the agent is for. */
    role: string | null;
    /** A URL of a picture. */
    avatar: string | null;
    /** What the agent does. */
    description: string | null;
    /** Questions to begin with. */
    starter_questions: string[];
    /** Who pays for the answers: `owner` of the agent, or `asker`. */
    payer: GrantParty;
    /** Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`. */
    approver: GrantParty;
    /** Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent. */
    transcripts: GrantTranscripts;
    /** The origins that receive text of conversations: of HTTP tools and of webhooks that check messages. `https://*` stands for an address that the model chooses. */
    receivers: string[];
    /** Whose models answer and check messages, fallbacks that the operator has set included. */
    provider: string | null;
    /** The name of the owner, if the grant shows it. */
    owner_name: string | null;
    /** Tools of the agent act in your name, with your rights or your connected accounts, or make schedules for you. */
    acts_for_asker: boolean;
  };
  Relationships: [];
};
