import { type Options, type Sandbox, start } from "../../sandbox/index";

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
