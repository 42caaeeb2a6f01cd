import { z } from "zod";
import { conversationMembers } from "./conversation-body.ts";

/** What the vendors of models accept. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** The first bytes of a file, as hexadecimal digits. */
const SIGNATURES: Readonly<Record<(typeof IMAGE_TYPES)[number], RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^474946383[79]61/,
  "image/webp": /^52494646.{8}57454250/,
};

const SIGNATURE_CHARACTERS = 16;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const MAX_MESSAGE_CHARACTERS = 32_000;
/** Less than the column allows, because numbers and spaces can take more bytes there. */
const MAX_METADATA_BYTES = 32_000;
const MAX_METADATA_DEPTH = 32;
const MAX_AGENTS = 100;
const MAX_DECISIONS = 50;
const MAX_CLIENT_TOOLS = 128;
const MAX_RESULTS = 50;
const MAX_SIGNAL_BYTES = 32_768;
/** As for the images that the tools of a turn return. */
const MAX_IMAGES = 20;
const MAX_IMAGE_CHARACTERS = 8_000_000;
/** The maximum of the column. */
export const MAX_SEQ = 2_147_483_647;

export const NUL = "\u0000";
const id = z.guid().transform((text) => text.toLowerCase());
const seq = z.number().int().min(0).max(MAX_SEQ);
const text = (max: number) =>
  z
    .string()
    // Counts characters as the database does; a text that is far too long is not scanned.
    .refine((value) => value.length <= max * 2 && countCharacters(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes(NUL) && value.isWellFormed(), "must be text without zero bytes");
const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => isStorable(value), "must be JSON of at most 32,000 bytes and 32 levels");

const answer = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
  .refine((value) => isStorable(value), "must be JSON of at most 32,000 bytes");

const jsonSchema = z
  .record(z.string(), z.unknown())
  .refine(hasStorableTexts, "must have no zero bytes and no lone surrogates");
const clientTool = z.object({
  name: z
    .string()
    .regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/, "must begin with a letter or _ and go on with letters, digits, _ and -"),
  description: text(1_024),
  input_schema: jsonSchema.nullish(),
});

const toolResult = z
  .object({
    tool_execution_id: id,
    output: z.unknown().optional(),
    error: text(1_000)
      .refine((value) => value !== "", "must not be empty")
      .optional(),
  })
  .refine((result) => (result.output === undefined) !== (result.error === undefined), {
    error: "must have either output or error",
  });

const image = z
  .object({ name: text(64), media_type: z.enum(IMAGE_TYPES), data: z.string() })
  .refine(isImage, { path: ["data"], error: "must be the image of this type as Base64" });

export const startSchema = z.object({
  swarm_id: id,
  message: text(MAX_MESSAGE_CHARACTERS).refine((value) => value.trim() !== "", "must not be empty"),
  agent_ids: z.array(id).min(1).max(MAX_AGENTS).nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  include_reasoning: z.boolean().nullish(),
  on_conflict: z.enum(["enqueue", "reject", "interrupt"]).nullish(),
  on_disconnect: z.enum(["continue", "cancel"]).nullish(),
  max_turns: z.number().int().min(1).max(50).nullish(),
  /** The service checks it as a JSON Schema when the run starts. */
  response_schema: jsonSchema.nullish(),
  /** Tools of this run that the caller executes. The service checks their schemas when the run starts. */
  client_tools: z.array(clientTool).max(MAX_CLIENT_TOOLS).nullish(),
  /** Whether the first call of the model must call one of `client_tools`. The service checks the name when the run starts. */
  tool_choice: z.union([z.enum(["auto", "required"]), z.object({ name: z.string() })]).nullish(),
  /** For the models of this run. Messages can refer to them by their names. */
  images: z
    .array(image)
    .max(MAX_IMAGES)
    .refine((images) => images.reduce((sum, { data }) => sum + data.length, 0) <= MAX_IMAGE_CHARACTERS, {
      error: `must have at most ${MAX_IMAGE_CHARACTERS} characters of data together`,
    })
    .nullish(),
  reply_to_id: id.nullish(),
  client_message_id: text(255)
    .refine((value) => value !== "", "must not be empty")
    .nullish(),
  regenerate: z.boolean().nullish(),
  metadata: metadata.nullish(),
  /** Required with the service role, which has no user. */
  user_id: id.nullish(),
});

/** The private swarm of the caller and the agent takes the place of the swarm. */
export const startAgentSchema = startSchema
  .omit({ swarm_id: true, agent_ids: true })
  .extend({ agent_id: id, conversation: z.literal("new").nullish() });

/** A swarm of its own, for the conversation that the call brings, takes the place of the private swarm. */
export const startConversationSchema = startAgentSchema
  .omit({
    message: true,
    reply_to_id: true,
    client_message_id: true,
    regenerate: true,
    on_conflict: true,
    conversation: true,
  })
  .extend({
    ...conversationMembers(text),
    /** For clients that send the whole list each time, and keep no id of the conversation. */
    conversation: z.literal("continue").nullish(),
  });

export const steerSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("cancel"), run_id: id, user_id: id.nullish() }),
  z.object({
    action: z.literal("approve"),
    run_id: id,
    user_id: id.nullish(),
    decisions: z
      .array(
        z.object({
          tool_execution_id: id,
          approved: z.boolean(),
          reason: text(1_000).optional(),
          /** The answer to a question of the tool, by the properties of its schema. */
          content: answer.optional(),
        }),
      )
      .min(1)
      .max(MAX_DECISIONS),
  }),
  z.object({
    action: z.literal("submit_tool_results"),
    run_id: id,
    user_id: id.nullish(),
    results: z.array(toolResult).min(1).max(MAX_RESULTS),
  }),
  z.object({
    action: z.literal("signal"),
    run_id: id,
    user_id: id.nullish(),
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/,
        "must have 1 to 100 letters, digits, _, ., : and -, and not begin with a sign",
      ),
    data: z
      .unknown()
      .refine(
        (data) => isStorable(data ?? null, MAX_SIGNAL_BYTES),
        "must be JSON of at most 32,768 bytes and 32 levels",
      )
      .optional(),
  }),
  z.object({
    action: z.literal("attach"),
    run_id: id,
    user_id: id.nullish(),
    last_event_id: z
      .union([
        seq,
        z
          .string()
          .regex(/^\d{1,10}$/)
          .transform(Number)
          .pipe(seq),
      ])
      .nullish(),
    stream: z.boolean().nullish(),
    include_reasoning: z.boolean().nullish(),
  }),
]);

export type MessageBody = z.infer<typeof startSchema> | z.infer<typeof startAgentSchema>;
export type ConversationBody = z.infer<typeof startConversationSchema>;
export type StartBody = MessageBody | ConversationBody;
export type SteerBody = z.infer<typeof steerSchema>;
export type ToolResultBody = z.infer<typeof toolResult>;

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether the database can store the value as JSON: small, not too deep, without NUL and lone surrogates. */
function isStorable(value: unknown, maxBytes = MAX_METADATA_BYTES): boolean {
  if (!isShallow(value, MAX_METADATA_DEPTH)) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes && hasStorableTexts(value);
}

function hasStorableTexts(value: unknown): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(value));
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** Whether the text is Base64 without spaces, and its first bytes are those of the type. */
function isImage({ media_type, data }: { media_type: (typeof IMAGE_TYPES)[number]; data: string }): boolean {
  if (data.length % 4 !== 0 || !BASE64.test(data)) return false;
  return SIGNATURES[media_type].test(Buffer.from(data.slice(0, SIGNATURE_CHARACTERS), "base64").toString("hex"));
}
