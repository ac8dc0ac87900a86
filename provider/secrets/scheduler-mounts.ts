import { Discovered, DiscoverRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { cached, Operation } from "../contract/operation";
import { isObject } from "../text/json";
import { apiPath, defaultMount, dialectOf, matches, readData, visiblePaths } from "./client";
import { normalizeMount } from "./mount-path";

/** Searches every mount of the Nomad secrets engine. `below` is the path that `find` reads at a mount: `config/lease`. */
export async function atEachMount<State>(
  { operation, mounts, attempt }: DiscoverRequest,
  below: string,
  find: (mount: string) => Promise<Discovered<State>[]>,
): Promise<Discovered<State>[]> {
  const listed = await cached(operation.run.cache, ["scheduler mounts", operation.server.id], () => listMounts(operation));
  const all = [...new Set([...listed, ...mounts.map(normalizeMount)])];
  return (await Promise.all(all.map((mount) => attempt(`${mount}/${below}`, () => find(mount))))).flat();
}

/** The mounts of the Nomad secrets engine. If they cannot be listed, the connection's mount. */
async function listMounts(operation: Operation): Promise<string[]> {
  const listed = await (dialectOf(operation).mountType ? readMounts(operation) : documentedMounts(operation));
  if (Array.isArray(listed)) return listed;
  const mount = defaultMount(operation);
  operation.run.log.warn(`the mounts cannot be listed: ${listed.reason}. Only the mount "${mount}" is searched. Add others with --mount.`);
  return [mount];
}

/** The mounts, or the reason why they are unknown. */
type Mounts = string[] | { reason: string };

const mountsPath = apiPath("sys", "mounts");

async function readMounts(operation: Operation): Promise<Mounts> {
  const { mountType } = dialectOf(operation);
  try {
    const mounts = Object.entries((await readData(operation, mountsPath)) ?? {});
    return mounts.filter(([, mount]) => isObject(mount) && mount.type === mountType).map(([path]) => normalizeMount(path));
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 403) throw error;
    return { reason: `the token may not read ${mountsPath}` };
  }
}

/** Paths of the Nomad secrets engine. Any other engine has at most one of them. */
const paths = ["config/access", "config/lease", "role/{name}", "creds/{name}"];

async function documentedMounts(operation: Operation): Promise<Mounts> {
  const visible = await visiblePaths(operation);
  if (!visible) return { reason: "the OpenAPI document cannot be read" };
  const mounts = Object.keys(visible).flatMap((template) => {
    const mount = /^\/(.+)\/(config|role|creds)\/[^/]+$/.exec(template)?.[1];
    return mount && paths.some((path) => matches(template, `/${mount}/${path}`)) ? [mount] : [];
  });
  const listed = [...new Set(mounts)].filter((mount) => mounts.filter((each) => each === mount).length > 1);
  return listed.length > 0
    ? listed
    : { reason: `the OpenAPI document lists no ${dialectOf(operation).words.engine} secrets engine for the token` };
}
