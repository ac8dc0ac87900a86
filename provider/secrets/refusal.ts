import { Connection } from "../connection";
import { StewardError } from "../errors";
import { documentedPath, matches, visiblePaths } from "./client";

/** Asks the OpenAPI listing, which holds what this token may see, why something got a 403 or a 404. Any other error stays what it is. @internal */
export async function explainRefusal(connection: Connection, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || (error.status !== 403 && error.status !== 404)) return error;
  // Without a token there is nothing that it could see.
  const paths = connection.token() === undefined ? undefined : await visiblePaths(connection, "never");
  const path = documentedPath(error);
  if (!paths || path === "") return error;
  const templates = Object.keys(paths).filter((template) => matches(template, path));
  const mount = path.replace(/^(.*)\/(config|role|creds)(\/[^/]*)?$/, "$1/");
  // There is such a path: it is the object that is missing.
  if (templates.length > 0 && error.status === 404) return error;
  const needed = /\/role$/.test(path) ? "the capability list" : "the capabilities create, read and update";
  const source = `It comes from ${connection.tokenSource}.`;
  if (templates.length > 0)
    return error.with({
      rule: "capability-missing",
      hint: `This token sees ${path} but may not do this with it: its policy needs ${needed} there. ${source}`,
    });
  if (Object.keys(paths).some((template) => template.startsWith(mount)))
    return error.with({ rule: "path-not-visible", hint: `This token cannot see ${path}: its policy does not cover that path. ${source}` });
  return error.with({
    rule: "mount-not-visible",
    hint: `This token sees nothing below ${mount}: no scheduler engine is mounted there (mount it, or set the right \`mount\`), or the token's policy does not cover it. ${source}`,
  });
}
