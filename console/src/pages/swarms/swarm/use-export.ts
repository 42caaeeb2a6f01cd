import { useCallback } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { readConversation } from "../../../data/messages.ts";
import { saveFile } from "../../../components/save-file.ts";
import { useToast } from "../../../components/toast.tsx";
import { useSwarmContext } from "./swarm-context.ts";

type Kind = "markdown" | "json";

/** Saves the whole conversation as a file. */
export function useExport(): (kind: Kind) => void {
  const { swarm } = useSwarmContext();
  const show = useToast();
  const { id, name } = swarm;
  return useCallback(
    (kind) => {
      void readConversation(id).then(
        (messages) => {
          const text = kind === "json" ? JSON.stringify(messages, null, 2) : renderMarkdown(name, messages);
          saveFile(`${toFileName(name)}.${kind === "json" ? "json" : "md"}`, new Blob([text]));
          show({ text: `${messages.length} messages are in your downloads.` });
        },
        () => show({ text: "The conversation could not be read.", tone: "bad" }),
      );
    },
    [id, name, show],
  );
}

function renderMarkdown(name: string, messages: readonly Message[]): string {
  const parts = messages.map(({ sender_name: sender, created_at: at, edited_at: edited, content }) => {
    const note = edited === null ? "" : " (edited)";
    return `**${sender}** · ${at}${note}\n\n${content ?? "*deleted*"}`;
  });
  return `${[`# ${name}`, ...parts].join("\n\n---\n\n")}\n`;
}

function toFileName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "conversation"
  );
}
