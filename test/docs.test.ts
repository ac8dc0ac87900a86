import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stopIds } from "../provider/secrets/rekey/stops";
import { policyOf, traitsOf } from "../tools/docs-resource";
import { pageRequests } from "./support/page-requests";

const read = (file: string): string => readFileSync(join(__dirname, "..", file), "utf8");

test("docs/rekey/errors.md has an entry for each id, by id", () => {
  const [, entries = ""] = read("docs/rekey/errors.md").split("\n## Ids\n");
  const [, ...ids] = (entries.split(/^## /m)[0] ?? "").split(/^### /m).map((entry) => entry.split("\n", 1)[0]);
  expect(ids).toEqual([...stopIds].sort());
});

test("a rekey or a command stops with every id", () => {
  const folders = ["provider/secrets/rekey", "command"].map((folder) => join(__dirname, "..", folder));
  const source = folders
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(folder, file), "utf8")),
    )
    .join("\n");
  const stops = source.replace(/^ {2}"?[\w-]+"?: \{/gm, "");
  expect(stopIds.filter((id) => !stops.includes(`"${id}"`))).toEqual([]);
});

const said = { change: "", preset: "", isOptional: true };
const none = { change: "", preset: "", secret: "", writeOnly: "" };

test("the reference takes the traits of a field from its definition", () => {
  expect(traitsOf("secrets.SchedulerRole", "type", said)).toEqual({ ...none, change: "updates", preset: '`"client"`' });
  expect(traitsOf("secrets.SchedulerRole", "name", said)).toEqual({ ...none, change: "replaces the resource", preset: "required" });
  expect(traitsOf("secrets.SchedulerAccess", "adopt", said)).toEqual({ ...none, change: "takes effect with the next update" });
  expect(traitsOf("secrets.Rekey", "pgpKeys", said)).toEqual({ ...none, change: "starts a new rekey" });
  expect(traitsOf("secrets.Rekey", "currentShares", said)).toEqual({
    ...none,
    change: "takes effect with the next update",
    preset: "required",
    secret: "yes",
  });
  expect(traitsOf("secrets.Rekey", "discardShares", said)).toEqual({ ...none, change: "updates" });
  expect(traitsOf("platform.SmsSettings", "authToken", said)).toEqual({ ...none, change: "updates", secret: "yes", writeOnly: "yes" });
});

test("a comment adds to the effect of a change that the definition knows, and cannot contradict it", () => {
  const change = (more: string) => () => traitsOf("platform.SmtpSettings", "onDelete", { ...said, change: more }).change;
  expect(change("updates only the state")()).toBe("updates only the state");
  const place = 'The comment of onDelete of platform.SmtpSettings says "@change ';
  expect(change("replaces the resource")).toThrow(
    `${place}replaces the resource", but by its definition a change updates: begin with that.`,
  );
  expect(change("updates")).toThrow(`${place}updates", but by its definition a change updates: remove the tag.`);
});

test("a comment cannot contradict the default of the definition", () => {
  const contradicted = () => traitsOf("secrets.SchedulerRole", "type", { ...said, preset: '`"management"`' });
  expect(contradicted).toThrow('says that the default is `"management"`, but by its definition it is `"client"`.');
});

test("an input without a row in its definition has no effect that the reference could show", () => {
  expect(() => traitsOf("secrets.SchedulerRole", "lifetime", said)).toThrow(
    "lifetime of secrets.SchedulerRole has no row in the fields of its definition.",
  );
});

test("the reference prints the requests of each case, with the names of its inputs in the paths", () => {
  const requests = JSON.parse(read("tools/requests.json"));
  expect(requests).toEqual(pageRequests());
  const role = "/v1/<mount>/role/<name>";
  expect(requests["secrets:SchedulerRole"]).toMatchObject({
    id: "nomad/role/web",
    hashicorp: { create: [`GET ${role}`, `POST ${role}`], update: [`POST ${role}`], refresh: [`GET ${role}`], delete: [`DELETE ${role}`] },
  });
  expect(requests["secrets:SchedulerRoles"].standard.create).toEqual(["GET /v1/<mount>/role?list=true", `POST ${role}`]);
});

test("the Vault policy of a resource permits its requests and nothing else", () => {
  const requests = [
    "GET /v1/<mount>/role?list=true",
    "POST /v1/<mount>/role/<name>",
    "PUT /v1/sys/leases/lookup",
    "GET /v1/auth/token/lookup-self",
  ];
  expect(policyOf(requests, ["/v1/sys/leases/lookup"], "team/nomad").split("\n")).toEqual([
    'path "sys/leases/lookup" {',
    '  capabilities       = ["update"]',
    '  allowed_parameters = { "lease_id" = ["team/nomad/creds/deploy/*"] }',
    "}",
    'path "team/nomad/role" {',
    '  capabilities = ["list"]',
    "}",
    'path "team/nomad/role/*" {',
    '  capabilities = ["create", "update"]',
    "}",
  ]);
  expect(() => policyOf(["GET /v1/<mount>/role/<name>/members"], [])).toThrow("requires a rule in tools/docs-resource.js");
});
