import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { Engine, noEngine } from "../connection";
import { StewardError } from "../errors";

const pause = 1000;

/** How a connection ends whose other side has ended. Any other error is this process's own, such as too many open files. */
const ended: readonly (string | undefined)[] = [undefined, "ECONNREFUSED", "ECONNRESET", "EPIPE"];

/**
 * Calls back once the engine has ended, which closes the one connection that is held to it meanwhile. Another process may listen on its port by then: a
 * new connection would not tell. It is an HTTP/2 one, since the engine's gRPC server closes any other after two minutes, and waits for it when it stops.
 */
function whenEnded(address: string, callBack: () => void): void {
  const session = connectHttp2(`http://${address}`);
  session.unref();
  let code: string | undefined;
  session.once("error", (error: NodeJS.ErrnoException) => {
    code = error.code;
  });
  session.once("close", () => {
    if (ended.includes(code)) callBack();
    else setTimeout(() => whenEnded(address, callBack), pause).unref();
  });
}

/**
 * Monitors the engine that started this process. When the engine is killed, the process would finish its work and then stay for ever. It ends itself
 * instead, and checks once more before each irreversible request.
 * @internal
 */
export function monitorEngine(address: string | undefined): Engine {
  const savesEachStep = !/^(1|true)$/i.test(process.env.PULUMI_SKIP_CHECKPOINTS ?? "");
  const [, host, port] = /^([\w.]+):(\d+)$/.exec(address ?? "") ?? [];
  // Not started by an engine: a test.
  if (!address || !host || !port) return { ...noEngine, savesEachStep };
  let hasEnded = false;
  whenEnded(address, () => {
    hasEnded = true;
    // An error would reach nobody: what this process still does could not be saved, and nobody else ends it.
    process.exit(1);
  });
  /** Known at once, even where the end of the held connection has not been noticed yet. */
  const isRefused = (): Promise<boolean> =>
    new Promise((done) => {
      const socket = connect(Number(port), host);
      socket.unref();
      socket.once("connect", () => {
        socket.destroy();
        done(false);
      });
      socket.once("error", ({ code }: NodeJS.ErrnoException) => done(code === "ECONNREFUSED"));
    });
  return {
    savesEachStep,
    async assertAlive() {
      if (!(await isRefused()) && !hasEnded) return;
      throw new StewardError({ code: "ERR_ENGINE_GONE", reason: "Pulumi has ended, so nothing could be saved any more; nothing was sent" });
    },
  };
}
