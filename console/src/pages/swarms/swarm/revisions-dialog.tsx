import type { Message } from "../../../data/conversation-pages.ts";
import { useRevisions } from "../../../data/message-writes.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { ListSkeleton } from "../../../components/skeleton.tsx";
import { Timeline } from "../../../components/timeline.tsx";

export function RevisionsDialog({ message, onClose }: { readonly message: Message; onClose(): void }) {
  const { rows, ...read } = useRevisions(message.id);
  return (
    <Dialog isOpen onClose={onClose} title="Versions of this message" description={`By ${message.sender_name}.`}>
      {rows === undefined ? (
        <NotLoaded title="The versions could not be loaded" read={read} skeleton={<ListSkeleton rows={2} />} />
      ) : (
        <Timeline
          label="Versions, newest first"
          items={[
            {
              key: "now",
              title: "Current version",
              tone: "accent",
              trailing: message.edited_at !== null && <RelativeTime at={message.edited_at} />,
              children: <Words text={message.content ?? ""} />,
            },
            ...rows.map(({ revision, content, created_at: at }) => ({
              key: String(revision),
              title: `Version ${revision}`,
              trailing: <RelativeTime at={at} />,
              children: <Words text={content} />,
            })),
          ]}
        />
      )}
    </Dialog>
  );
}

function Words({ text }: { readonly text: string }) {
  return <p className="rounded-md bg-sunken px-3 py-2 break-words whitespace-pre-wrap">{text}</p>;
}
