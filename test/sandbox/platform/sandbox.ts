import { type Options, type Sandbox, start } from "../../../sandbox/index";

/** Returns the sandbox of a suite, which is new for each test. */
export function freshSandbox(options: Options): () => Sandbox {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start(options);
  });
  beforeEach(() => sandbox.reset());
  afterAll(() => sandbox.close());
  return () => sandbox;
}
