import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { parseLossless } from "../../provider/text/json";
import { atEnd } from "../support/cleanup";

// The places of the three API specifications whose response is "not shown", each with legitimate forms of it.

/** Another form of a response, of which the status and the body stay if omitted. */
export interface Form {
  status?: number;
  body?: string;
  change?(body: string): string;
}

export interface Place {
  /** The section of the document. */
  section: string;
  /** `<METHOD> <path>` of the request. */
  request: RegExp;
  /** The responses of the sandbox to which the forms apply. */
  statuses: RegExp;
  /** The body of the sandbox's response. If omitted, any. */
  body?: RegExp;
  forms: readonly Form[];
  /** The bodies that need no read back. */
  known?: RegExp;
}

const bodies = (texts: readonly string[], status?: number): Form[] => texts.map((body) => ({ status, body }));

/** The same with fields that no document shows, in each object of a resource. */
const moreFields: Form = {
  change: (body) =>
    JSON.stringify(parseLossless(body), (_, value) =>
      value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).some((key) => shown.test(key))
        ? { ...value, request_id: "x", "further-field": { nested: [null] } }
        : value,
    ),
};
/** The names in objects that are no maps by name. */
const shown = /^(data|attributes|nonce|address|ttl|policies|accessor_id|openapi|summary|modules|version|ID|Name)$/;

const reason = "not as you wish";
/** Error bodies: no document shows their shape. */
export const errorBodies = [
  ...['{"errors":[]}', "", "{}", "null", "[]", reason, `"${reason}"`],
  ...[`{"error":"${reason}"}`, `{"message":"${reason}"}`, `{"error":{"message":"${reason}"}}`, `{"errors":["${reason}"]}`],
  ...[`{"errors":[{"message":"${reason}"}]}`, `{"errors":[{"title":"${reason}","detail":"no"}]}`, '{"code":7}'],
];
const errors = bodies(errorBodies);
const missing = (...neutral: string[]): Form[] => [
  ...bodies(errorBodies, 404),
  ...[{ status: 204, body: "" }, { status: 200, body: '{"request_id":"x","data":null}' }, ...bodies(neutral, 200)],
];
/** Bodies of successful writes. */
const json = ["", "{}", '{"ok":true}', "null", '{"data":null}', '{"request_id":"x","data":null}', '{"warnings":[]}', "[]", '"ok"'];
const written = [...bodies(json, 200), { status: 204, body: "" }, { status: 201, body: '{"name":"web","policies":"a"}' }];
const anyText = [...written, { status: 200, body: "done" }, { status: 202, body: '{"deleted":true}' }];
const [ownMissing, ownWritten] = [/^\{"errors":\[\]\}$|^\{"data":\{/, /^(\{\})?$/];

const engine = "/v1/scheduler";
export const secretsPlaces: readonly Place[] = [
  { section: "7 error body", request: /^GET .*\/role\/\w+$/, statuses: /404/, forms: errors, known: ownMissing },
  {
    section: "2.6 no access",
    request: /^GET .*\/config\/access$/,
    statuses: /404/,
    forms: missing('{"data":{"address":""}}'),
    known: ownMissing,
  },
  {
    section: "2.6 no lease",
    request: /^GET .*\/config\/lease$/,
    statuses: /404/,
    forms: missing('{"data":{"ttl":0,"max_ttl":0}}'),
    known: ownMissing,
  },
  {
    section: "4.3 no roles",
    request: /^GET .*\/role\?/,
    statuses: /404/,
    forms: missing('{"data":{"keys":null}}', '{"data":{"keys":[]}}'),
    known: ownMissing,
  },
  { section: "4.3 write access", request: /^POST .*\/config\/access$/, statuses: /2../, forms: written, known: ownWritten },
  { section: "4.3 write lease", request: /^POST .*\/config\/lease$/, statuses: /2../, forms: anyText, known: ownWritten },
  { section: "4.3 write role", request: /^POST .*\/role\/\w+$/, statuses: /2../, forms: anyText, known: ownWritten },
  { section: "4.3 delete lease", request: /^DELETE .*\/config\/lease$/, statuses: /2../, forms: anyText },
  { section: "4.3 delete role", request: /^DELETE .*\/role\/\w+$/, statuses: /2../, forms: anyText },
  {
    section: "2.6 further fields of access",
    request: /^GET .*\/config\/access$/,
    statuses: /200/,
    body: /"address":"h/,
    forms: [{}, { body: '{"data":{"address":"http://127.0.0.1:4646","ca_cert":"","max_token_name_length":0}}' }],
  },
  { section: "4.2 start", request: /^PUT .*\/rekey\/init$/, statuses: /2../, forms: anyText },
  { section: "4.2 cancel", request: /^DELETE .*\/rekey\/init$/, statuses: /2../, forms: anyText },
  { section: "4.2 delete backup", request: /^DELETE .*\/rekey\/backup$/, statuses: /2../, forms: anyText },
  {
    section: "2.5 no backup",
    request: /^GET .*\/rekey\/backup$/,
    statuses: /40./,
    forms: [...missing('{"nonce":"","keys":null}', "{}", '{"keys":{}}'), ...bodies(errorBodies, 400)],
  },
  {
    section: "2.4 no verification",
    request: /^GET .*\/rekey\/verify$/,
    statuses: /40./,
    forms: [
      ...missing("{}", '{"nonce":null}', '{"nonce":"","t":0,"n":0,"progress":0}'),
      ...bodies(errorBodies, 400),
      ...bodies(errorBodies, 500),
    ],
  },
  {
    section: "3.1 complete before the verification",
    request: /^PUT .*\/rekey\/update$/,
    statuses: /200/,
    body: /verification_nonce":"\w/,
    forms: [{}, { change: (body) => body.replace('"complete":true', '"complete":false') }],
  },
  {
    section: "7 code of a wrong nonce or an invalid share",
    request: /^PUT .*\/rekey\/(update|verify)$/,
    statuses: /400/,
    forms: [400, 409, 412, 422, 500].flatMap((status) => bodies(errorBodies, status)),
  },
];

export const platformPlaces: readonly Place[] = [
  { section: "7 fields of an error", request: /^GET .*\/admin\/workspaces\/ws-/, statuses: /404/, forms: errors },
  { section: "7 fields of an error", request: /^DELETE .*\/admin\/workspaces\/ws-/, statuses: /404/, forms: errors },
  { section: "7 fields of an error", request: /^PATCH .*\/registry-modules\//, statuses: /404/, forms: errors },
  {
    section: "4.2 status of revoke-old-certificate",
    request: /^POST .*\/revoke-old-certificate$/,
    statuses: /2../,
    forms: [200, 201, 202].map((status) => ({ status })),
  },
];

/** The reads of all three, whose objects may have further fields. */
const reads = [
  ...[
    "2.1 operations:/openapi",
    "2.2 status:/rekey/init",
    "2.5 backup:/rekey/backup",
    "2.6 access:/config/access",
    "2.6 lease:/config/lease",
  ],
  ...[
    "2.6 role:/role",
    "2.6 credential:/creds/",
    "2.1 workspaces:/workspaces",
    "2.2 settings:-settings",
    "4.4 version:/aws/\\d",
    "4.4 versions:/versions",
  ],
  ...["2.1 jobs:/v1/jobs", "2.2 deployments:/v1/deployments", "2.3 nodes:/v1/nodes", "4.1 members:/agent/members"],
];
export const furtherFields: readonly Place[] = reads.map((read) => {
  const [section = "", path = ""] = read.split(":");
  return { section: `${section}, further fields`, request: new RegExp(`^GET .*${path}`), statuses: /200/, forms: [moreFields] };
});

export const schedulerPlaces: readonly Place[] = [
  { section: "4.1 PUT /v1/jobs", request: /^PUT .*\/jobs$/, statuses: /200/, forms: anyText },
];

/** A server in front of the sandbox that gives the response of each place another form. `chosen` has those of the next requests. */
export async function startForms(address: string): Promise<{ url: string; chosen: Map<Place, Form>; sent: string[] }> {
  const chosen = new Map<Place, Form>();
  const sent: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const content = Buffer.concat(await incoming.toArray());
    const { "content-length": _, connection: __, ...kept } = headers as Record<string, string>;
    const response = await fetch(`${address}${url}`, { method, headers: kept, body: content.length > 0 ? content : undefined });
    const text = await response.text();
    sent.push(`${method} ${url}`);
    const isAt = ({ request, statuses, body = /^/ }: Place): boolean =>
      request.test(`${method} ${url}`) && statuses.test(String(response.status)) && body.test(text);
    const forms = [...chosen].flatMap(([place, form]) => (isAt(place) ? [form] : []));
    const status = forms.reduce((before, form) => form.status ?? before, response.status);
    const body = forms.reduce((before, form) => form.body ?? (form.change && before ? form.change(before) : before), text);
    const type = response.headers.get("content-type") ?? "application/json";
    const copied = [...response.headers].filter(([name]) => name.startsWith("x-"));
    outgoing.writeHead(status, { ...Object.fromEntries(copied), "content-type": type });
    outgoing.end(status === 204 ? undefined : body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  atEnd(async () => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, chosen, sent };
}

export const pathOf = (path: string): string => `${engine}/${path}`;
