import { InProcessProject } from "./in-process-project";
import { Platform } from "./platform";
import { Project } from "./project";

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

export const storyOnPlatform = ({ service, dialect }: Platform): Story =>
  newStory({ STEWARD_TOKEN: service.token }).config({
    "steward:default": { platform: { address: service.url, tokenEnv: "STEWARD_TOKEN", dialect } },
  });
