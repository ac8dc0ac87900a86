import { InProcessProject } from "./in-process-project";
import { Platform } from "./platform";
import { Project } from "./project";
import { Stack } from "./stack";

// Stories run in this process, over the stand-in of the engine. `STORIES="command line" npm test -- test/end-to-end/stories` runs the real command line.

const isReal = process.env.STORIES === "command line";

export type Story = Stack;

export const newStory = (variables: Record<string, string> = {}): Story =>
  isReal ? new Project(variables) : new InProcessProject(variables);

/** Connects a new stack to a platform. */
export const onPlatform = <T extends Stack>({ service, dialect }: Platform, newStack: (variables: Record<string, string>) => T): T =>
  newStack({ STEWARD_TOKEN: service.token }).config({
    "steward:default": { platform: { address: service.url, tokenEnv: "STEWARD_TOKEN", dialect } },
  });

export const storyOnPlatform = (platform: Platform): Story => onPlatform(platform, newStory);
