import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stopIds } from "../provider/secrets/rekey/protocol/stops";
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
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(folder, file), "utf8")),
    )
    .join("\n");
  const stops = source.replace(/^ {2}"?[\w-]+"?: \{/gm, "");
  expect(stopIds.filter((id) => !stops.includes(`"${id}"`))).toEqual([]);
});

const said = { change: "", preset: "", isOptional: true };

test("a comment adds to the effect of a change that the definition knows, and cannot contradict it", () => {
  const change = (more: string) => () => traitsOf("platform.SmtpSettings", "onDelete", { ...said, change: more }).change;
  expect(change("updates only the state")()).toBe("updates only the state");
  const place = 'The comment of onDelete of platform.SmtpSettings says "@change ';
  expect(change("replaces the resource")).toThrow(
    `${place}replaces the resource", but by its definition a change updates: begin with that.`,
  );
  expect(change("updates")).toThrow(`${place}updates", but by its definition a change updates: remove the tag.`);
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
