import { onEachPlatform } from "../../support/platform";
import { deprecationsOn, inputs, read, write } from "./deprecations";

onEachPlatform("the deprecation of a version that somebody else has deprecated", (current) => {
  const { shown, deprecate } = deprecationsOn(current);

  test.each([
    ["a reason that begins with ours", { reason: "Use 2.0.0. Or else.", link: inputs.link }],
    ["another link", { reason: inputs.reason, link: "https://other.example.com" }],
    ["no link", { reason: inputs.reason }],
  ])("somebody else's deprecation with %s is not taken over silently", async (_, theirs) => {
    const { engine, requests } = current();
    await deprecate({ "deprecated-status": "Deprecated", ...theirs });
    const deprecation = engine("ModuleVersionDeprecation");
    expect(await requests(() => expect(deprecation.up(inputs)).rejects.toMatchObject({ code: "ERR_ALREADY_EXISTS" }))).toEqual([read]);
    expect(deprecation.state).toBeUndefined();
    expect(await shown()).toMatchObject(theirs);
  });

  test("a link that the program does not declare is somebody else's", async () => {
    await deprecate({ "deprecated-status": "Deprecated", reason: inputs.reason, link: inputs.link });
    const { link: _, ...silent } = inputs;
    await expect(current().engine("ModuleVersionDeprecation").up(silent)).rejects.toMatchObject({ code: "ERR_ALREADY_EXISTS" });
  });

  test("words that follow a reason which was never sent are drift, and no longer once it is sent", async () => {
    const { engine, service, requests } = current();
    await deprecate({ "deprecated-status": "Deprecated", reason: inputs.reason, link: inputs.link });
    const deprecation = engine("ModuleVersionDeprecation");
    expect(await requests(() => deprecation.up(inputs))).toEqual([read]);
    expect(await deprecation.refresh()).toEqual([]);
    await deprecate({ "deprecated-status": "Deprecated", reason: `${inputs.reason} Or else.`, link: inputs.link });
    expect(await deprecation.refresh()).toEqual(["reason"]);
    service.appendToReasons(" Contact the platform team.");
    expect(await requests(() => deprecation.up(inputs))).toEqual([write]);
    expect(await deprecation.refresh()).toEqual([]);
    service.appendToReasons(" Contact us.");
    await deprecate({ "deprecated-status": "Deprecated", reason: inputs.reason, link: inputs.link });
    expect(await deprecation.refresh()).toEqual([]);
  });
});
