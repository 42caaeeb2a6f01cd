import { type Message, type Part, type StreamResponse, type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";

const ENDED: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);
const WAITING: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
]);

/** What a remote agent has answered so far. Keeps no more characters than the tool may return. */
export class RemoteAnswer {
  readonly #maxChars: number;
  readonly #artifacts = new Map<string, string>();
  #message: string | null = null;
  #status: TaskStatus | null = null;
  taskId = "";
  contextId = "";

  constructor(maxChars: number) {
    // One more, so that the service sees that something is missing.
    this.#maxChars = maxChars + 1;
  }

  /** Whether nothing follows unless the agent gets another message. */
  get isSettled(): boolean {
    return this.#message !== null || this.hasEnded || this.isWaiting;
  }

  get hasEnded(): boolean {
    return this.#status !== null && ENDED.has(this.#status.state);
  }

  get isWaiting(): boolean {
    return this.#status !== null && WAITING.has(this.#status.state);
  }

  /** The text of the status when the task has ended without a result; null otherwise. */
  get failure(): string | null {
    if (!this.hasEnded || this.#status?.state === TaskState.TASK_STATE_COMPLETED) return null;
    const outcome =
      this.#status?.state === TaskState.TASK_STATE_CANCELED ? "cancelled the task" : "could not do the task";
    const reason = textOf(this.#status?.message);
    return `The remote agent ${outcome}${reason === "" ? "." : `: ${reason}`}`;
  }

  add({ payload }: StreamResponse): void {
    switch (payload?.$case) {
      case "message":
        this.#message = this.#cut(textOf(payload.value));
        this.contextId = payload.value.contextId;
        break;
      case "task":
        this.addTask(payload.value);
        break;
      case "statusUpdate":
        this.taskId = payload.value.taskId;
        this.#status = payload.value.status ?? this.#status;
        break;
      case "artifactUpdate": {
        const { taskId, artifact, append } = payload.value;
        this.taskId = taskId;
        if (artifact !== undefined) this.#keep(artifact.artifactId, artifact.parts, append);
        break;
      }
      default:
    }
  }

  addTask({ id, contextId, status, artifacts }: Task): void {
    this.taskId = id;
    this.contextId = contextId;
    this.#status = status ?? this.#status;
    for (const { artifactId, parts } of artifacts) this.#keep(artifactId, parts, false);
  }

  /** What the model reads. */
  render(): string {
    if (this.#message !== null) return this.#message;
    const status = textOf(this.#status?.message);
    if (this.isWaiting)
      return JSON.stringify({
        state: "input_required",
        task_id: this.taskId,
        context_id: this.contextId,
        message: status,
      });
    const texts = [...this.#artifacts.values()].filter((text) => text !== "");
    return this.#cut(texts.length > 0 ? texts.join("\n\n") : status);
  }

  #keep(id: string, parts: readonly Part[], append: boolean): void {
    const text = (append ? (this.#artifacts.get(id) ?? "") : "") + renderParts(parts);
    // An agent that sends artifacts without end must not fill the memory.
    if (this.#artifacts.has(id) || this.#artifacts.size < this.#maxChars) this.#artifacts.set(id, this.#cut(text));
  }

  #cut(text: string): string {
    return text.slice(0, this.#maxChars);
  }
}

function textOf(message: Message | undefined): string {
  return message === undefined ? "" : renderParts(message.parts);
}

function renderParts(parts: readonly Part[]): string {
  const texts = parts.map(({ content, filename, mediaType }) => {
    switch (content?.$case) {
      case "text":
        return content.value;
      case "data":
        return JSON.stringify(content.value);
      case "url":
        return content.value;
      case "raw":
        return `[file ${filename || mediaType || "without a name"}]`;
      default:
        return "";
    }
  });
  return texts.join("\n");
}
