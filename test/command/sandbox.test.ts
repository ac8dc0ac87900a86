import { ends, steward, stewardProcess } from "./holder";

test("sandbox prints the variables of a sandbox, and accepts its options", async () => {
  const { code, stdout } = await steward({}, ["sandbox", "--dialect", "hashicorp"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^export VAULT_ADDR=http:\/\/127\.0\.0\.1:\d+$/m);
});

test("sandbox --help shows the options of pulumi-steward-sandbox", async () => {
  const { code, stdout } = await steward({}, ["sandbox", "--help"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: pulumi-steward-sandbox [\s\S]*--port <port>/) });
});

test("the process returns the exit code and prints errors to standard error", async () => {
  const { code, stdout, stderr } = await stewardProcess({}, ["sandbox", "--port", "many"]);
  expect({ code, stdout, stderr }).toEqual(ends(2, / is invalid\. /));
});

test("--help lists the sandbox", async () => {
  const { code, stdout } = await steward({}, ["--help"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^ +sandbox +Run the sandbox/m) });
});

test("--version prints the version", async () => {
  const { stdout } = await steward({}, ["--version"]);
  expect(stdout).toBe(`${require("../../package.json").version}\n`);
});
