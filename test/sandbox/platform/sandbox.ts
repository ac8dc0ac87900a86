import { type Options, type Sandbox, start } from "../../../sandbox/index";

/** A sandbox for the tests of a suite, fresh for each of them. */
export function freshSandbox(options: Options): () => Sandbox {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start(options);
  });
  beforeEach(() => sandbox.reset());
  afterAll(() => sandbox.close());
  return () => sandbox;
}
