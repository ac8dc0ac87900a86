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
  /** The status and the body of the sandbox's responses to which the forms apply. */
  response: RegExp;
  forms: readonly Form[];
  /** The bodies that need no read back. */
  known?: RegExp;
}

const place = (section: string, request: RegExp, response: RegExp, forms: readonly Form[], known?: RegExp): Place =>
  Object.assign({ section, request, response, forms }, known && { known });
const bodies = (texts: readonly string[], status?: number): Form[] => texts.map((body) => ({ status, body }));

const reason = "not as you wish";
/** Error bodies, whose shape no document shows. */
export const errorBodies = [
  ...['{"errors":[]}', "", "{}", "null", "[]", reason, `"${reason}"`],
  ...[`{"error":"${reason}"}`, `{"message":"${reason}"}`, `{"error":{"message":"${reason}"}}`, `{"errors":["${reason}"]}`],
  ...[`{"errors":[{"message":"${reason}"}]}`, `{"errors":[{"title":"${reason}","detail":"no"}]}`, '{"code":7}'],
];
const errors = bodies(errorBodies);
const withStatus = (...statuses: number[]): Form[] => statuses.flatMap((status) => bodies(errorBodies, status));
/** Responses that there is nothing, and neutral ones. */
const nothing = (...neutral: string[]): Form[] => [
  ...withStatus(404),
  ...[{ status: 204, body: "" }, { status: 200, body: '{"request_id":"x","data":null}' }, ...bodies(neutral, 200)],
];
const json = ["", "{}", '{"ok":true}', "null", '{"data":null}', '{"request_id":"x","data":null}', '{"warnings":[]}', "[]"];
/** Responses to writes. */
const written = [...bodies(json, 200), { status: 204, body: "" }, { status: 201, body: '{"name":"web","policies":"a"}' }];
const anyWritten = [...written, { status: 200, body: "done" }, { status: 200, body: '"ok"' }, { status: 202, body: '{"deleted":true}' }];
const incomplete: Form = { change: (body) => body.replace('"complete":true', '"complete":false') };
const [ownMissing, ownWritten] = [/^\{"errors":\[\]\}$|^\{"data":\{/, /^(\{\})?$/];

export const enginePlaces: readonly Place[] = [
  place("7 error body", /^GET .*\/role\/\w+$/, /^404/, errors, ownMissing),
  place("2.6 no access", /^GET .*\/config\/access$/, /^404/, nothing('{"data":{"address":""}}'), ownMissing),
  place("2.6 no lease", /^GET .*\/config\/lease$/, /^404/, nothing('{"data":{"ttl":0,"max_ttl":0}}'), ownMissing),
  place("4.3 no roles", /^GET .*\/role\?/, /^404/, nothing('{"data":{"keys":null}}', '{"data":{"keys":[]}}'), ownMissing),
  place("4.3 write access", /^POST .*\/config\/access$/, /^2/, written, ownWritten),
  place("4.3 write lease", /^POST .*\/config\/lease$/, /^2/, anyWritten, ownWritten),
  place("4.3 write role", /^POST .*\/role\/\w+$/, /^2/, anyWritten, ownWritten),
  place("4.3 delete lease", /^DELETE .*\/config\/lease$/, /^2/, anyWritten),
  place("4.3 delete role", /^DELETE .*\/role\/\w+$/, /^2/, anyWritten),
];

export const rekeyPlaces: readonly Place[] = [
  place("4.2 start", /^PUT .*\/rekey\/init$/, /^2/, anyWritten),
  place("4.2 cancel", /^DELETE .*\/rekey\/init$/, /^2/, anyWritten),
  place("4.2 delete backup", /^DELETE .*\/rekey\/backup$/, /^2/, anyWritten),
  place("2.5 no backup", /^GET .*\/backup$/, /^40/, nothing('{"nonce":"","keys":null}', "{}", '{"keys":{}}')),
  place("2.4 no verification", /^GET .*\/verify$/, /^40|"nonce":""/, [
    ...nothing("{}", '{"nonce":null}', '{"nonce":"","t":0}'),
    ...withStatus(400, 500),
  ]),
  place("3.1 complete before the verification", /^PUT .*\/update$/, /verification_nonce":"\w/, [{}, incomplete]),
  place("7 wrong nonce, invalid share", /^PUT .*\/rekey\/(update|verify)$/, /^400/, withStatus(400, 409, 412, 422, 500)),
];

export const platformPlaces: readonly Place[] = [
  place("7 error of a workspace", /^(GET|DELETE) .*\/admin\/workspaces\/ws-/, /^404/, errors),
  place("7 error of a deprecation", /^PATCH .*\/registry-modules\//, /^404/, errors),
  place(
    "4.2 revoke-old-certificate",
    /^POST .*\/revoke-old-certificate$/,
    /^2/,
    [200, 201, 202].map((status) => ({ status })),
  ),
];

export const schedulerPlaces: readonly [Place] = [place("4.1 PUT /v1/jobs", /^PUT .*\/jobs$/, /^200/, anyWritten)];

/** The names in objects that are no maps by name. */
const shown = /^(data|attributes|nonce|address|ttl|policies|accessor_id|openapi|summary|modules|version|ID|Name)$/;
/** The same with fields that no document shows. */
const more: Form = {
  change: (body) =>
    JSON.stringify(parseLossless(body), (_, value) =>
      value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).some((key) => shown.test(key))
        ? { ...value, request_id: "x", "further-field": { nested: [null] } }
        : value,
    ),
};
/** The reads of all three. */
export const furtherFields: readonly Place[] = [
  ...["/openapi", "/rekey/init", "/rekey/backup", "/config/access", "/config/lease", "/role", "/creds/", "/workspaces", "-settings"],
  ...["/aws/\\d", "/versions", "/v1/jobs", "/v1/deployments", "/v1/nodes", "/agent/members"],
].map((path) => place(`further fields of ${path}`, new RegExp(`^GET .*${path}`), /^200/, [more]));

/** A server in front of the sandbox that gives the response of each chosen place another form. */
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
    const isAt = (each: Place): boolean => each.request.test(`${method} ${url}`) && each.response.test(`${response.status} ${text}`);
    const forms = [...chosen].flatMap(([each, form]) => (isAt(each) ? [form] : []));
    const status = forms.reduce((before, form) => form.status ?? before, response.status);
    const body = forms.reduce((before, form) => form.body ?? (form.change && before ? form.change(before) : before), text);
    const copied = [...response.headers].filter(([name]) => /^x-|^content-type$/.test(name));
    outgoing.writeHead(status, Object.fromEntries(copied)).end(status === 204 ? undefined : body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  atEnd(async () => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, chosen, sent };
}

/** Chooses the form with this number at each place. */
export function choose({ chosen }: { chosen: Map<Place, Form> }, places: readonly Place[], number: (place: number) => number): void {
  for (const [index, each] of places.entries()) chosen.set(each, each.forms[number(index) % each.forms.length] as Form);
}
