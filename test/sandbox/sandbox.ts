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

/** The sandbox of a suite, in one dialect. */
interface Dialect {
  dialect: "standard" | "hashicorp";
  /** True in the dialect of HashiCorp's products. */
  real: boolean;
  /** The type of the secrets engine, and its mount. */
  engine: string;
  /** The prefix of the scheduler's headers. */
  family: string;
  sandbox: () => Sandbox;
  /** Sends a request to a service with its token, or with another one. */
  to: Record<"secrets" | "platform" | "scheduler", (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>>;
}

/** Runs a suite on the sandbox in each dialect, which is reset before each test. */
export function onEachDialect(what: string, suite: (each: Dialect) => void): void {
  describe.each(["standard", "hashicorp"] as const)(`${what}, %s`, (dialect) => {
    const sandbox = freshSandbox({ dialect });
    const real = dialect === "hashicorp";
    const send = (service: keyof Dialect["to"]): Dialect["to"]["secrets"] => {
      return (method, path, body, token) => call(sandbox()[service], method, path, body, token);
    };
    const to = { secrets: send("secrets"), platform: send("platform"), scheduler: send("scheduler") };
    const engine = real ? "nomad" : "scheduler";
    suite({ dialect, real, engine, family: `x-${engine}-`, sandbox, to });
  });
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
