import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { settingsCases } from "../../cases";
import { atEnd } from "../../support/cleanup";
import { anything, Damage, damaged, damages, stringsIn } from "./values";

/** The response to one request. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** The changes to a valid response. */
  wrong: Damage[];
  /** The number of the valid response to use. */
  choice: number;
  /** A body to send instead. */
  instead?: string;
  /** Echoes the whole request as the reason, and each of its strings, also encoded. */
  echoes: boolean;
}

export interface Server {
  address: string;
  /** The requests since the last `say`. */
  asked: string[];
  /** Sets the responses, which are used in turn and repeated. */
  say(answers: readonly Answer[]): void;
  /** Called before each response. */
  onRequest: (count: number) => void;
}

/** After this many requests of one operation, the server stops responding: the client would send requests forever. */
export const maxRequests = 400;

/** Starts a server that runs until the end of the suite. */
export async function startServer(): Promise<Server> {
  let answers: readonly Answer[] = [];
  const server = createServer(async (request, response) => {
    const sent = (await request.toArray()).join("");
    const count = self.asked.push(`${request.method} ${request.url}`);
    self.onRequest(count);
    const answer = answers[(count - 1) % answers.length];
    if (!answer || count > maxRequests) return response.destroy();
    const { status, headers, wrong, choice, instead, echoes } = answer;
    const texts = [sent, ...stringsIn(sent).flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")])];
    const reason = { errors: echoes ? [...texts, JSON.stringify(request.headers), decodeURIComponent(request.url ?? "")] : [] };
    const shapes = status === 200 ? shapesOf(request.url ?? "") : [reason];
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end([204, 304].includes(status) ? undefined : (instead ?? JSON.stringify(damaged(shapes[choice % shapes.length], wrong))));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const self: Server = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    say(next) {
      answers = next;
      self.asked = [];
    },
    onRequest: () => {},
  };
  atEnd(() => server.close().closeAllConnections());
  return self;
}

/** The attributes of every document of the platform, with the name of a secret that Terraform Enterprise masks. */
const attributes = {
  ...Object.fromEntries(
    settingsCases.flatMap(({ values }) =>
      Object.entries(values).map(([name, [declared]]) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), declared]),
    ),
  ),
  ...{ name: "web", locked: false, "vcs-repo": { identifier: "acme/web" }, status: "applied", reason: "old", "apply-timeout": "24h" },
  ...{ link: "https://example.com", "aws-secret-key": "****", "cloud-b-credentials": '{"private_key":"****"}' },
};
const workspace = {
  id: "ws-1",
  type: "workspaces",
  attributes,
  links: { self: "/api/v2/admin/workspaces/ws-1" },
  relationships: { organization: { data: { id: "acme", type: "organizations" } }, "current-run": { data: { id: "run-1", type: "runs" } } },
};
const owners = { owners: { data: [{ id: "user-1", type: "users" }] } };
const included = [
  { id: "acme", type: "organizations", attributes: {}, relationships: owners },
  { id: "run-1", type: "runs", attributes: { status: "applied" } },
  { id: "user-1", type: "users", attributes: {} },
  { id: "1", type: "deprecations", attributes: { reason: "old", link: null } },
];
const pages = {
  links: { next: "/api/v2/admin/workspaces?page[number]=2" },
  meta: { pagination: { "next-page": 2, "total-count": 3 }, "status-counts": { total: 3 } },
};
const version = { id: "1", version: "1.0.0", deprecation: { reason: "old", link: "https://example.com" }, root: {}, submodules: [] };
const lease = { lease_id: "scheduler/creds/web/1", lease_duration: 3600, renewable: true, warnings: null };
const data = {
  ...{ address: "http://127.0.0.1:4646", max_token_name_length: 64, ca_cert: "", client_cert: "", ttl: 60, max_ttl: 120 },
  ...{ policies: ["deploy"], token_type: "client", type: "client", global: false, keys: ["web", "ops-team"] },
  ...{ accessor_id: "a", secret_id: "s", expire_time: "2026-01-01T00:00:00Z", last_renewal: "2026-01-01T00:00:00Z", id: "1" },
};
const rekey = {
  ...{ started: true, nonce: "ours", t: 1, n: 1, progress: 0, required: 1, pgp_fingerprints: [], backup: false, complete: true },
  ...{ verification_required: true, verification_nonce: "again", keys: ["00".repeat(33)], keys_base64: ["A".repeat(44)] },
};
const operation = { summary: "a role", tags: ["secrets"], "x-vault-sudo": true };
const specification = {
  openapi: "3.0.2",
  info: { title: "API", version: "1", license: { name: "MIT" } },
  paths: { "/scheduler/role/{name}": { get: operation, post: operation, parameters: [], "x-secrets-create-supported": true } },
};
const job = {
  ...{ ID: "web", Name: "web", Namespace: "default", Type: "service", Status: "running", JobModifyIndex: 7, SubmitTime: 1 },
  ...{ JobID: "web", CreateIndex: 7, JobSpecModifyIndex: 7, StatusDescription: "" },
  TaskGroups: { web: { HealthyAllocs: 1, DesiredTotal: 1 } },
};

/** The valid responses of the API to a URL. */
function shapesOf(url: string): unknown[] {
  const { pathname: path } = new URL(url, "http://server");
  if (path.endsWith("/specs/openapi")) return [specification];
  if (path.endsWith("/rekey/backup"))
    return [
      { nonce: "ours", keys: { none: ["00"] } },
      { nonce: "another", keys: null },
    ];
  if (path.includes("/sys/rekey/"))
    return [rekey, { ...rekey, started: false, nonce: "" }, { ...rekey, verification_nonce: "", complete: false }];
  if (path.endsWith("/admin/workspaces")) return [{ data: [workspace], included, ...pages }];
  if (path.startsWith("/api/registry/"))
    return [path.endsWith("/versions") ? { modules: [{ versions: [version, { ...version, deprecation: null }] }] } : version];
  if (path.startsWith("/api/")) return [{ data: workspace, included }];
  if (/^\/v1\/(jobs|deployments|nodes)$/.test(path)) return [[job, { ...job, ID: "other", Status: "successful" }], null];
  return [{ ...lease, data }];
}

const headers = fc.record(
  {
    "x-scheduler-index": fc.constantFrom("7", "0", "-1", "x", "9".repeat(30)),
    "x-scheduler-nexttoken": fc.constantFrom("next", "other"),
    "x-scheduler-lastcontact": fc.constantFrom("1", "x"),
    "retry-after": fc.constantFrom("x", "-", "1.2.3", "99999999999", "Thu, 01 Jan 2099 00:00:00 GMT"),
    location: fc.constantFrom("/", "http://127.0.0.1:1/", "::", ""),
    "content-encoding": fc.constant("gzip"),
  },
  { requiredKeys: [] },
);
const someHeaders = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 8, arbitrary: fc.constantFrom("7", "8").map((index) => ({ "x-scheduler-index": index })) },
  { weight: 1, arbitrary: headers },
);
const status = fc.oneof(
  { weight: 12, arbitrary: fc.constant(200) },
  { weight: 4, arbitrary: fc.constant(404) },
  fc.constantFrom(204, 302, 304, 400, 403, 405, 429, 500, 503, 504),
);
const instead = fc.oneof(
  { weight: 20, arbitrary: fc.constant(undefined) },
  anything.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    "",
    "<html>",
    "null",
    '{"data":',
    '{"data":{"ttl":1e400,"address":12345678901234567890}}',
    '{"__proto__":{"data":{}}}',
    "[".repeat(20_000),
  ),
);
/** Any responses: from those of the API to those of something else. */
export const answers: fc.Arbitrary<Answer[]> = fc.array(
  fc.record({ status, headers: someHeaders, wrong: damages, choice: fc.nat(5), instead, echoes: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
);
