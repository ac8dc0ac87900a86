import { Sandbox, start } from "../../../sandbox/index";
import { Run } from "../../support/project";
import { SecretStory } from "../../support/secret-story";
import { newStory, Story } from "../../support/story";

// test/end-to-end/secrecy.test.ts searches Pulumi's own output at every log level.
describe.each(["standard", "hashicorp"] as const)("no secret in plaintext (%s)", (dialect) => {
  let sandbox: Sandbox;
  let story: SecretStory;
  let project: Story;
  beforeEach(async () => {
    sandbox = await start({ dialect });
    story = await SecretStory.begin(dialect, sandbox);
    project = newStory(story.variables).config(story.connection);
    for (const system of ["secrets", "platform"] as const)
      await project.set(`steward:default.${system}.token`, sandbox[system].token, "--secret", "--path");
  });
  afterEach(async () => {
    project.remove();
    await sandbox.close();
  });

  async function run(name: string, ...args: string[]): Promise<Run> {
    const ran = await project.pulumi(...args);
    story.canaries.lookInto({ [`${name}: terminal`]: ran.output, [`${name}: backend`]: project.stored() });
    return ran;
  }
  async function succeeds(name: string, ...args: string[]): Promise<Run> {
    const ran = await run(name, ...args);
    if (ran.code !== 0) throw new Error(`${name}:\n${ran.output}`);
    return ran;
  }
  const up = ["up", "--yes", "--skip-preview", "--diff"];
  const refresh = ["refresh", "--yes", "--skip-preview", "--diff"];

  test("the terminal and the backend hold no secret, from preview to destroy", async () => {
    project.program(story.whole());
    await succeeds("preview", "preview", "--diff");

    for (const { program, reason } of story.misfits()) {
      project.program(program);
      const { code, output } = await run(`a failing check of ${reason}`, "preview");
      expect(code).not.toBe(0);
      expect(output).toContain(reason);
    }

    project.program(story.whole());
    story.refuseWrites();
    const failed = await run("a failing create", ...up, "--continue-on-error");
    expect(failed.code).not.toBe(0);
    for (const noun of ["(scheduler|Nomad) access", "rekey", "cost estimation settings", "SMTP settings", "SMS settings"])
      expect(failed.output).toMatch(new RegExp(`Cannot create ${noun}`));
    expect(failed.output).toContain("[secret]");
    story.allowAll();

    story.refuseReads();
    project.program(story.catching(""));
    const caught = await succeeds("errors that the program catches", "preview");
    expect(caught.output).not.toContain("no error");
    for (const code of ["ERR_REJECTED", "ERR_NO_RESPONSE", "ERR_FORBIDDEN"]) expect(caught.output).toContain(code);
    story.allowAll();

    project.program(story.whole());
    await succeeds("up", ...up);
    const { secretId, shares } = (await project.outputs()) as { secretId: string; shares: string[] };
    story.canaries.watchFor({ secretId, shares });
    expect(shares).toEqual(sandbox.secrets.shares);
    story.expectHeld(await project.resources());
    await succeeds("up again", ...up, "--expect-no-changes");
    await succeeds("refresh", ...refresh);
    await story.changeOutside();
    await succeeds("refresh after a change on the server", ...refresh);

    project.program(story.reading());
    await succeeds("get", ...up);
    await story.changeOutside();
    await succeeds("refresh after get", ...refresh);

    project.program(story.bare());
    await succeeds("secrets that leave the program", ...up);
    await story.changeOutside();
    await succeeds("refresh after they left", ...refresh);
    await succeeds("up after they left", ...up);
    await succeeds("destroy", "destroy", "--yes", "--skip-preview");
    expect(story.canaries.found()).toEqual([]);
  });
});
