import { nativeProject, Project } from "../support/project";
import { allRekeyTargets } from "../support/rekey";
import { sentBy } from "../support/sandbox";

// A rekey in a program of another language: the native plugin registers its three resources. A remote component of a Node program
// makes the same request to the engine.

const program = (more = ""): string => `
const args = { secretShares: 3, secretThreshold: 2, keepSharesInState: true, currentShares: [{ env: "RS0" }, { env: "RS1" }]${more} };
class Rekey extends pulumi.ComponentResource {
  constructor(name, args) {
    super("steward:secrets:Rekey", name, { ...args, shares: undefined, progress: undefined, complete: undefined }, {}, true);
  }
}
const rekey = new Rekey("unseal", args);
exports.shares = rekey.shares; exports.progress = rekey.progress; exports.complete = rekey.complete;
`;

test("a rekey in a remote component stops, continues, converges, refreshes, runs again and is destroyed", async () => {
  const [{ start }] = allRekeyTargets as [(typeof allRekeyTargets)[number]];
  const target = await start();
  const { gateway, token, connection, first } = target;
  const project = new Project({ STEWARD_TOKEN: token, RS0: first[0] as string })
    .files({ "Pulumi.yaml": nativeProject() })
    .config(connection);
  try {
    const wrong = await project.program(program(", secretThreshold: 9, pgpKeys: [1]")).pulumi("preview");
    expect(wrong.output).toContain("has a problem: pgpKeys[0]: must be a public key");
    expect(wrong.output).toContain("has a problem: secretThreshold: must be at most secretShares, 3");
    expect(wrong.output).not.toMatch(/\n\s+at /);
    project.program(program());
    const stopped = await project.pulumi("up", "--yes", "--skip-preview");
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).toMatch(/1 of \d current shares submitted/);
    project.with({ RS1: first[1] as string, RS2: first[2] as string });
    project.program(program().replace('{ env: "RS1" }', '{ env: "RS1" }, { env: "RS2" }'));
    await project.up();
    const { shares, ...others } = (await project.outputs()) as { shares: string[] };
    expect(others).toEqual({ progress: { phase: "complete", count: 2, required: 2 }, complete: true });
    expect(shares).toHaveLength(3);
    expect(await target.opens(shares.slice(0, 2))).toBe(true);
    for (const share of shares) expect(project.stored()).not.toContain(share);
    expect(await sentBy(gateway, () => project.calm())).toMatchObject({ writes: [] });
    await project.program(program(', triggers: ["2"]')).up();
    const again = (await project.outputs()) as { shares: string[] };
    expect(again.shares).not.toEqual(shares);
    expect(await target.opens(again.shares.slice(1))).toBe(true);
    const refused = await project.pulumi("destroy", "--yes", "--skip-preview");
    expect(refused.output).toContain("discardShares");
    await project.program(program(', triggers: ["2"], discardShares: true')).up();
    await project.destroy();
  } finally {
    await target.stop();
  }
});
