import { InProcessProject } from "./in-process-project";
import { Platform } from "./platform";
import { Project } from "./project";
import { Target } from "./target";

// Stories run in this process, over the stand-in of the engine. `STORIES="command line" npm test -- test/end-to-end/stories` runs the real command line.

const isReal = process.env.STORIES === "command line";

/** A stack, in this process or with the command line. */
export type Story = Pick<
  Project,
  | "set"
  | "pulumi"
  | "up"
  | "preview"
  | "refresh"
  | "destroy"
  | "expectConverged"
  | "calm"
  | "outputs"
  | "resources"
  | "stored"
  | "remove"
  | "folder"
> & {
  program(source: string): Story;
  typescript(source: string): Story;
  example(name: string): Story;
  files(files: Record<string, string>): Story;
  config(config: Record<string, object>): Story;
  with(variables: Record<string, string>): Story;
};

export const newStory = (variables: Record<string, string> = {}): Story =>
  isReal ? new Project(variables) : new InProcessProject(variables);

/** A story that is connected to the target, with its token in a variable, as the README recommends. */
const storyOn = ({ address, token, dialect }: Target): Story =>
  newStory({ STEWARD_TOKEN: token }).config({
    "steward:default": { secrets: { address, tokenEnv: "STEWARD_TOKEN", dialect } },
  });

export const storyOnPlatform = ({ service, dialect }: Platform): Story =>
  newStory({ STEWARD_TOKEN: service.token }).config({
    "steward:default": { platform: { address: service.url, tokenEnv: "STEWARD_TOKEN", dialect } },
  });

/** Creates a stack on the target, with a new Nomad secrets engine, for each test of a suite. */
export function storyForEach(current: () => Target): () => { project: Story; mount: string } {
  let stage: { project: Story; mount: string };
  beforeEach(async () => {
    stage = { mount: await current().newMount(), project: storyOn(current()) };
  });
  afterEach(() => stage.project.remove());
  return () => stage;
}
