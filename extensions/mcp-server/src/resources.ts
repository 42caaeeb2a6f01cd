import { type ListResourcesResult, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";
import type { TableRow } from "swarmbase/extension";
import type { Caller } from "./caller.ts";
import { readMessages } from "./read-messages.ts";
import { readPage } from "./read-page.ts";

const MIME_TYPE = "text/markdown";
const URI = /^swarmbase:\/\/swarms\/([^/?]+)\/transcript(?:\?before=(\d{1,15}))?$/;
const TRANSCRIPT_MESSAGES = 100;
const SWARMS = { select: "id,name,description" };

export const TRANSCRIPT_TEMPLATE = {
  name: "transcript",
  title: "Transcript of a swarm",
  uriTemplate: "swarmbase://swarms/{swarm_id}/transcript{?before}",
  description: `The last ${TRANSCRIPT_MESSAGES} messages of a swarm, or those before the message with the number "before".`,
  mimeType: MIME_TYPE,
};

type SwarmRow = TableRow<"swarms", "id" | "name" | "description">;

function transcriptUri(swarmId: string): string {
  return `swarmbase://swarms/${swarmId}/transcript`;
}

/** The transcripts of the swarms that the caller can read, newest swarm first. */
export async function listResources(caller: Caller, cursor: string | undefined): Promise<ListResourcesResult> {
  const { rows, next } = await readPage<SwarmRow>(caller, "/swarms", { query: SWARMS, cursor });
  return {
    resources: rows.map(({ id, name, description }) => ({
      uri: transcriptUri(id),
      name: `transcript-${id}`,
      title: name,
      ...(description !== null && { description }),
      mimeType: MIME_TYPE,
    })),
    ...(next !== null && { nextCursor: next }),
  };
}

export async function readResource(caller: Caller, uri: string): Promise<ReadResourceResult> {
  const [, swarmId = "", before] = URI.exec(uri) ?? [];
  const page = { swarmId, limit: TRANSCRIPT_MESSAGES, before };
  const found = isUuid(swarmId) ? await readMessages(caller, page) : null;
  if (found === null) throw new ResourceNotFoundError(uri);
  const parts = found.messages.map(
    ({ sender_name: name, created_at: time, content }) => `**${name}** (${time})\n\n${content}`,
  );
  const earlier = found.next === null ? [] : [`Earlier messages: ${transcriptUri(swarmId)}?before=${found.next}`];
  const text = [`# ${found.name}`, ...earlier, ...parts].join("\n\n");
  return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
}
