import { AnyDefinition } from "../../provider/contract/definition";
import { StewardError } from "../../provider/contract/errors";
import { issuesOf } from "../../provider/contract/inputs";
import { Operation, Run } from "../../provider/contract/operation";
import { functions } from "../../provider/registry/functions";
import { definitions } from "../../provider/registry/resources";
import { isIn, SearchOptions } from "../discover/search";

/** Receives each request with its status, and the body of a 2xx response. May return another body. */
export type Receive = (operation: Operation, path: string, status: number, body: unknown) => unknown;

/** Sends each request once, since two resources may read the same. */
export function observer(receive: Receive): Run["observe"] {
  const sent = new Map<string, Promise<unknown>>();
  return (operation, { method, path, query }, send) => {
    // The login of the connection, whose response is a token.
    if (method !== "GET") return send();
    const key = JSON.stringify([operation.server.system, path, query]);
    const sending =
      (sent.get(key) as ReturnType<typeof send> | undefined) ??
      send().then(
        (response) => ({ ...response, body: receive(operation, path, response.status, response.body) }),
        (error) => {
          if (error instanceof StewardError && error.status) receive(operation, path, error.status, undefined);
          throw error;
        },
      );
    sent.set(key, sending);
    return sending;
  };
}

/** More objects of one type have no other shape. */
const most = 20;

/** Reads what the package can read on a server. Returns the reads that failed. */
export async function readServer(operation: Operation, options: Pick<SearchOptions, "mount" | "module">): Promise<string[]> {
  const failed: string[] = [];
  const attemptOf =
    (token: string) =>
    async <T>(_: string, part: () => Promise<T[]>): Promise<T[]> => {
      try {
        return await part();
      } catch (error) {
        if (!(error instanceof StewardError) || error.code === "ERR_UNREACHABLE") throw error;
        const { code, status, details } = error;
        // The API specification has no list of modules, and the default mount may have no engine.
        const isAbsent = code === "ERR_NOT_FOUND" && (!status || details.rule === "unproven-absence");
        if (!isAbsent) failed.push(`${token}: ${[code, status].filter(Boolean).join(" ")}`);
        return [];
      }
    };
  for (const definition of definitions.filter(isIn(operation)))
    await readObjects(definition, operation, options, attemptOf(definition.token));
  for (const called of functions.filter(isIn(operation)))
    if (issuesOf(called.options, {}).length === 0)
      await attemptOf(called.token)("", async () => [await called.run(operation as never, {} as never)]);
  return failed;
}

async function readObjects(
  { discover, read }: AnyDefinition,
  operation: Operation,
  { mount: mounts, module: modules }: Pick<SearchOptions, "mount" | "module">,
  attempt: <T>(what: string, part: () => Promise<T[]>) => Promise<T[]>,
): Promise<void> {
  if (typeof discover !== "function") return;
  const request = { operation, asSet: false, mounts, modules, workspaces: true, attempt };
  const found = await attempt("", () => discover(request));
  for (const { state } of found.slice(0, most)) await attempt("", async () => [await read({ operation, state, declared: [] })]);
}
