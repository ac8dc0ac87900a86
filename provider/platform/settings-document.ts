import { Connection } from "../connection";
import { isStorableKey } from "../inputs";
import { adminPath, callAsAdministrator, dialectOf, resourceOf, unexpectedAnswer, wireName } from "./client";
import { extraName, Fields, Settings, Values } from "./settings-fields";

/** Settings on the server. @internal */
export interface SettingsDocument {
  fetch(connection: Connection): Promise<Values>;
  /** Gives back what the server then shows. */
  patch(connection: Connection, values: Values): Promise<Values>;
}

/** @internal */
export function documentOf<Inputs>(of: Settings<Inputs>, { writeOnly, sentAlong, readable, secrets }: Fields): SettingsDocument {
  const document = (connection: Connection): string => of.document?.(connection) ?? `${of.id}-settings`;
  const path = (connection: Connection): string => adminPath(document(connection));

  /** What a document shows. */
  function shownIn(connection: Connection, answer: unknown, method: "GET" | "PATCH"): Values {
    const { attributes } = resourceOf(answer, { method, path: path(connection) });
    const names = new Map(readable.map((field) => [wireName(connection, field), field]));
    // A server that shows them all the same shows them to nobody through us.
    const hidden = [
      ...[...writeOnly, ...sentAlong].map((field) => wireName(connection, field)),
      ...secrets.flatMap((field) => extraName(field) ?? []),
    ];
    const shown: Values = {};
    for (const [name, value] of Object.entries(attributes)) {
      if (hidden.includes(name) || !isStorableKey(name)) continue;
      const field = names.get(name) ?? (dialectOf(connection).hasExtra ? `extra.${name}` : undefined);
      if (field) shown[field] = value;
    }
    if (!readable.some((field) => field in shown)) throw unexpectedAnswer(method, path(connection));
    return shown;
  }

  async function fetch(connection: Connection): Promise<Values> {
    const answer = await callAsAdministrator(connection, { method: "GET", path: path(connection), retry: "idempotent" });
    return shownIn(connection, answer, "GET");
  }

  async function patch(connection: Connection, values: Values): Promise<Values> {
    const named = Object.entries(values).map(([field, value]) => [extraName(field) ?? wireName(connection, field), value ?? null]);
    const data = { type: document(connection), attributes: Object.fromEntries(named) };
    const retry = of.retry ?? "idempotent";
    const answer = await callAsAdministrator(connection, { method: "PATCH", path: path(connection), body: { data }, retry });
    return shownIn(connection, answer, "PATCH");
  }

  return { fetch, patch };
}
