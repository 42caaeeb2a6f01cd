import type { SwarmMessage } from "@swarmbase/react";

interface Props {
  readonly message: SwarmMessage;
  readonly isOwn: boolean;
  readonly onRetry: () => void;
}

export function MessageLine({ message, isOwn, onRetry }: Props) {
  const { senderName, senderType, content, status, toolCalls, error, isDeleted } = message;
  const isThinking =
    status === "streaming" && content === "" && !toolCalls.some((call) => call.status === "pending_approval");
  return (
    <li className="message" data-own={isOwn} data-status={status} data-sender={senderType}>
      <span className="avatar" aria-hidden="true">
        {senderName.slice(0, 1)}
      </span>
      <div>
        <b>{senderName}</b>
        {toolCalls.map((call) => (
          <p key={call.id} className="tool" data-status={call.status}>
            <code>{call.name}</code> {call.status.replace("_", " ")}
            {call.output !== undefined && <code className="output">{call.output}</code>}
          </p>
        ))}
        {content !== "" && <p className="text">{content}</p>}
        {isThinking && <p className="dots" role="status" aria-label="is thinking" />}
        {isDeleted && <p className="text">This message was deleted.</p>}
        {status === "failed" && (
          <p role="alert">
            {error?.message} <button onClick={onRetry}>Send again</button>
          </p>
        )}
      </div>
    </li>
  );
}
