import { InProcessProject } from "./in-process-project";
import { Platform } from "./platform";
import { Project } from "./project";
import { Stack } from "./stack";

// Stories run in this process, over the stand-in of the engine. `TESTS="command line" npm test -- test/end-to-end/stories` runs the real command line.

const isReal = process.env.TESTS === "command line";

export type Story = Stack;

export const newStory = (variables: Record<string, string> = {}): Story =>
  isReal ? new Project(variables) : new InProcessProject(variables);

export const storyOnPlatform = ({ service, dialect }: Platform): Story =>
  newStory({ STEWARD_TOKEN: service.token }).config({
    "steward:default": { platform: { address: service.url, tokenEnv: "STEWARD_TOKEN", dialect } },
  });
