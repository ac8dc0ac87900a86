import { Hono } from "hono";
import { Block, row, table, time } from "../../view";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { Records, randomText } from "../records";
import { AppEnv, attributesOf, document, done, missing } from "../response";
import { ScimToken, scimTokensOf } from "../scim";
import { wrong } from "../settings";
import { Resource } from "../wire";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

const day = 86_400_000;

/** Only the response to a create has the token. */
const resource = (id: string, { description, createdAt, expiredAt }: ScimToken, token: string | null = null): Resource => ({
  id,
  type: "authentication-tokens",
  attributes: {
    description,
    token,
    "created-at": createdAt.toISOString(),
    "expired-at": expiredAt.toISOString(),
    "last-used-at": null,
  },
});

export function routes(app: Hono<AppEnv>): void {
  const path = "/api/v2/admin/scim-tokens";
  /** The tokens that have not expired. */
  const valid = (records: Records, now: Date): Map<string, ScimToken> =>
    new Map([...scimTokensOf(records)].filter(([, { expiredAt }]) => expiredAt > now));

  app.get(path, (c) => document(c, { data: [...valid(c.var.records, c.var.now)].map(([id, each]) => resource(id, each)) }));

  app.post(path, (c) => {
    const { records, now } = c.var;
    const { description = null, "expired-at": expires } = attributesOf(c);
    const expiredAt = expires === undefined ? new Date(now.getTime() + 365 * day) : new Date(String(expires));
    const days = (expiredAt.getTime() - now.getTime()) / day;
    if (!(days >= 29 && days <= 365)) throw new HttpError(400, wrong("expired-at", "has to be between 29 and 365 days in the future"));
    const created = { description: description as string | null, token: randomText(64), createdAt: now, expiredAt };
    const id = records.numberedId("at");
    scimTokensOf(records).set(id, created);
    return document(c, { data: resource(id, created, created.token) }, 201);
  });

  app.get(`${path}/:id`, (c) => {
    const one = valid(c.var.records, c.var.now).get(c.req.param("id"));
    return one ? document(c, { data: resource(c.req.param("id"), one) }) : missing(c);
  });

  app.delete(`${path}/:id`, (c) => (scimTokensOf(c.var.records).delete(c.req.param("id")) ? done(c) : missing(c)));
}

export const secrets = (records: Records): string[] => [...scimTokensOf(records).values()].map(({ token }) => token);

export const view = (records: Records): Block[] => [
  table(
    "SCIM tokens",
    ["Token", "Expires"],
    [...scimTokensOf(records)].map(([id, { description, expiredAt }]) => row(id, description ?? id, time(expiredAt))),
  ),
];
