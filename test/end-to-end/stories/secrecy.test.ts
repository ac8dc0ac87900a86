import { startSandbox } from "../../support/sandbox";
import { SecretStory } from "../../support/secret-story";
import { newStory } from "../../support/story";

// test/end-to-end/secrecy.test.ts searches Pulumi's own output at every log level.
test.each(["standard", "hashicorp"] as const)(
  "the terminal and the backend hold no secret, from preview to destroy (%s)",
  async (dialect) => {
    const sandbox = await startSandbox({ dialect });
    const story = await SecretStory.start(dialect, sandbox);
    const project = newStory(story.variables).config(story.connection);
    for (const system of ["secrets", "platform"] as const)
      await project.set(`steward:default.${system}.token`, sandbox[system].token, "--secret", "--path");
    const run: Parameters<typeof story.begin>[1] = async (name, ...args) => {
      const ran = await project.pulumi(...args);
      story.canaries.lookInto({ [`${name}: terminal`]: ran.output, [`${name}: backend`]: project.stored() });
      return ran;
    };
    await story.begin(project, run);
    await story.finish(project, run);
  },
);
