import { connect } from "node:net";
import { Engine, withoutEngine } from "../connection";
import { StewardError } from "../errors";

const pause = 1000;

/**
 * Looks after the engine that started this process. When the command line is killed, the process would go on with what it does, and then stay for
 * ever: it ends itself instead, and before what cannot be undone it looks once more.
 * @internal
 */
export function watchEngine(address: string | undefined): Engine {
  const savesEachStep = !/^(1|true)$/i.test(process.env.PULUMI_SKIP_CHECKPOINTS ?? "");
  const [, host, port] = /^([\w.]+):(\d+)$/.exec(address ?? "") ?? [];
  // Not started by an engine: a test.
  if (!host || !port) return { ...withoutEngine, savesEachStep };
  const isAlive = (): Promise<boolean> =>
    new Promise((done) => {
      const socket = connect(Number(port), host);
      socket.unref();
      socket.once("connect", () => {
        socket.destroy();
        done(true);
      });
      // Any other error is ours, such as too many open files: of the engine it says nothing.
      socket.once("error", ({ code }: NodeJS.ErrnoException) => done(code !== "ECONNREFUSED"));
    });
  setInterval(async () => {
    // An error would reach nobody: what this process still does could not be saved, and nobody else ends it.
    if (!(await isAlive())) process.exit(1);
  }, pause).unref();
  return {
    savesEachStep,
    async assertAlive() {
      if (await isAlive()) return;
      throw new StewardError({ code: "ERR_ENGINE_GONE", reason: "Pulumi has ended, so nothing could be saved any more; nothing was sent" });
    },
  };
}
