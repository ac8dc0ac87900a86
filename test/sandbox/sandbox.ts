import { type Options, type Sandbox, start } from "../../sandbox/index";
import { type Answer, call } from "../support/call";

/** Returns the sandbox of a suite, which is reset before each test. */
export function freshSandbox(options: Options): () => Sandbox {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start(options);
  });
  beforeEach(() => sandbox.reset());
  afterAll(() => sandbox.close());
  return () => sandbox;
}

/** Returns a function that starts a sandbox for the current test. */
export function sandboxOfTest(): (options?: Options) => Promise<Sandbox> {
  let sandbox: Sandbox | undefined;
  afterEach(() => sandbox?.close());
  return async (options) => {
    await sandbox?.close();
    sandbox = await start(options);
    return sandbox;
  };
}

/** The requests of a suite about settings of the platform. */
export function settingsOf(sandbox: () => Sandbox) {
  const pathOf = (noun: string): string => `/api/v2/admin/${noun}-settings`;
  const get = (noun: string): Promise<Answer> => call(sandbox().platform, "GET", pathOf(noun));
  return {
    get,
    /** The current attributes. */
    attributesOf: async (noun: string): Promise<Record<string, unknown>> => (await get(noun)).json.data.attributes,
    patch: (noun: string, attributes: object) => call(sandbox().platform, "PATCH", pathOf(noun), { data: { type: "", attributes } }),
    post: (noun: string, action: string, body?: unknown) => call(sandbox().platform, "POST", `${pathOf(noun)}/${action}`, body),
  };
}
