import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Copy, DockerfileParser, From } from "dockerfile-ast";

/** What a container of the last stage would start with. */
export interface BuiltImage {
  /** The folder that stands for the root of the file system. */
  readonly root: string;
  readonly workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly stopSignal: string | null;
}

interface Stage {
  readonly root: string;
  workingDir: string;
  readonly env: Record<string, string>;
  user: string | null;
  command: readonly string[];
  healthCheck: readonly string[];
  stopSignal: string | null;
}

export interface BuildOptions {
  readonly dockerfile: string;
  /** The build context: the files that COPY sees. */
  readonly context: string;
  /** An empty folder for the stages. */
  readonly folder: string;
  /** For RUN: the registry and the cache of npm, for example. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Executes the steps of a Dockerfile in folders instead of containers. Every stage has a folder that stands for its root; commands of RUN
 * start in WORKDIR below it, and must use relative paths. The programs of the base image are those of the machine.
 */
export function buildImage({ dockerfile, context, folder, env }: BuildOptions): BuiltImage {
  const stages = new Map<string, Stage>();
  let stage: Stage | null = null;
  for (const instruction of DockerfileParser.parse(readFileSync(dockerfile, "utf8")).getInstructions()) {
    const text = instruction.getRawArgumentsContent() ?? "";
    if (instruction instanceof From) {
      const name = instruction.getBuildStage() ?? String(stages.size);
      stage = openStage(join(folder, name));
      stages.set(name, stage);
      continue;
    }
    if (stage === null) throw new Error(`${instruction.getKeyword()} before FROM`);
    switch (instruction.getKeyword()) {
      case "WORKDIR":
        stage.workingDir = resolve(stage.workingDir, text);
        mkdirSync(join(stage.root, stage.workingDir), { recursive: true });
        break;
      case "COPY":
        copy(instruction as Copy, stage, stages, context);
        break;
      case "RUN":
        run(text, stage, env);
        break;
      case "ENV":
        for (const [, name = "", value = ""] of text.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
        break;
      case "USER":
        stage.user = text;
        break;
      case "CMD":
        stage.command = JSON.parse(text) as string[];
        break;
      case "HEALTHCHECK":
        stage.healthCheck = JSON.parse(/CMD (\[.*\])$/.exec(text)?.[1] ?? "[]") as string[];
        break;
      case "STOPSIGNAL":
        stage.stopSignal = text;
        break;
      case "EXPOSE":
      case "VOLUME":
        break;
      default:
        throw new Error(`the test does not know ${instruction.getKeyword()}`);
    }
  }
  if (stage === null) throw new Error("the Dockerfile has no stage");
  return stage;
}

function openStage(root: string): Stage {
  mkdirSync(root, { recursive: true });
  return { root, workingDir: "/", env: {}, user: null, command: [], healthCheck: [], stopSignal: null };
}

function copy(instruction: Copy, stage: Stage, stages: ReadonlyMap<string, Stage>, context: string): void {
  const source = instruction.getFromFlag()?.getValue();
  const root = source === undefined || source === null ? context : stages.get(source)?.root;
  if (root === undefined) throw new Error(`there is no stage ${source}`);
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  const target = join(stage.root, resolve(stage.workingDir, paths.pop() ?? "."));
  for (const path of paths) {
    const from = join(root, path);
    const isFolder = path === "." || source !== undefined;
    cpSync(from, isFolder ? target : join(target, path.split("/").at(-1) ?? ""), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function run(command: string, stage: Stage, env: NodeJS.ProcessEnv): void {
  if (/(?:^|[\s"'=])\/(?!dev\/null)/.test(command)) throw new Error(`RUN uses an absolute path: ${command}`);
  const cwd = join(stage.root, stage.workingDir);
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
    cwd,
    env: { ...env, ...stage.env },
    encoding: "utf8",
    timeout: 600_000,
  });
  if (status !== 0) throw new Error(`RUN ${command}\nended with ${status}\n${stdout}${stderr}`);
}
