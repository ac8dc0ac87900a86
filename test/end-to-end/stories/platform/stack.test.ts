import { onEachPlatform } from "../../../support/platform";
import { storyOnPlatform } from "../../../support/story";

onEachPlatform("a stack of the platform's resources", (current) => {
  test("a refresh reads 100 deprecations of 10 modules with 10 requests", async () => {
    const { service, requests } = current();
    const project = storyOnPlatform(current());
    const versions = Array.from({ length: 10 }, (_, index) => `1.${index}.0`);
    service.seed({ modules: versions.map((_, index) => ({ namespace: "acme", name: `module-${index}`, provider: "aws", versions })) });
    project.program(`
    for (let index = 0; index < 100; index++)
      new platform.ModuleVersionDeprecation("d" + index, {
        organizationName: "acme", moduleName: "module-" + (index % 10), moduleProvider: "aws", moduleVersion: "1." + Math.floor(index / 10) + ".0",
        reason: "Use 2.0.0.",
      });`);
    const created = await requests(() => project.up());
    expect(created.filter((each) => each.startsWith("PATCH"))).toHaveLength(100);
    // One read covers all versions of a module during creations as well.
    expect(created.filter((each) => each.startsWith("GET"))).toHaveLength(10);
    const refreshed = await requests(() => project.refresh("--expect-no-changes"));
    expect(refreshed).toHaveLength(10);
    expect(refreshed.every((each) => each.startsWith("GET /api/registry/v1/modules/acme/module-"))).toBe(true);
    expect(await requests(() => project.preview("--expect-no-changes"))).toEqual([]);
    const destroyed = await requests(() => project.destroy());
    expect(destroyed).toHaveLength(100);
    expect(destroyed.every((each) => each.startsWith("PATCH"))).toBe(true);
  });
});
