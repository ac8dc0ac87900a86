import { Operation } from "../connection";
import { StewardError } from "../errors";
import { isStringList } from "../text/json";
import { dialectOf, Evidence, invalidResponse, readData } from "./client";

// The lists of named objects. They prove that an object does not exist, where a 404 may come from a gateway.

/** The path of the list with an object. */
export const listOf = (path: string): string => path.replace(/\/[^/]*$/, "");

/** The names in a list. A list without names is a 404. */
export async function listNames(operation: Operation, path: string): Promise<string[]> {
  const data = await readData(operation, path, { query: { list: "true" } });
  if (!data) return [];
  const { keys } = data;
  if (!isStringList(keys)) throw invalidResponse(path);
  return keys;
}

const isListed = async (operation: Operation, path: string): Promise<boolean> =>
  (await listNames(operation, listOf(path))).includes(decodeURIComponent(path.replace(/^.*\//, "")));

/** Reads the list as evidence that an object does not exist. */
export const isUnlisted =
  (operation: Operation, path: string): Evidence =>
  async () =>
    !(await isListed(operation, path));

/** True if an object exists. Reads the list if a 404 of the object proves nothing, and the object itself if the token may not list. */
export async function existsInList(operation: Operation, path: string): Promise<boolean> {
  if (dialectOf(operation).provesAbsence) return (await readData(operation, path)) !== undefined;
  try {
    return await isListed(operation, path);
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 403) throw error;
    return (await readData(operation, path, { evidence: () => Promise.reject(error) })) !== undefined;
  }
}
