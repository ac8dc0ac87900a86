import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { StewardError } from "../contract/errors";
import { Engine, noEngine } from "../contract/operation";

const pause = 1000;

/** The error codes of a connection whose peer has exited. Any other error is local, such as too many open files. */
const ended: readonly (string | undefined)[] = [undefined, "ECONNREFUSED", "ECONNRESET", "EPIPE"];

/**
 * Calls back when the engine exits, which closes this connection. A new connection would prove nothing, since another process may listen on
 * the port. The connection is HTTP/2: the engine's gRPC server closes any other after two minutes, and waits for it when it stops.
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

/** Monitors the engine that started this process, and exits when the engine does. Otherwise the process would outlive a killed engine. */
export function monitorEngine(address: string | undefined): Engine {
  const savesEachStep = !/^(1|true)$/i.test(process.env.PULUMI_SKIP_CHECKPOINTS ?? "");
  const [, host, port] = /^([\w.]+):(\d+)$/.exec(address ?? "") ?? [];
  // In a test, no engine starts the process.
  if (!address || !host || !port) return { ...noEngine, savesEachStep };
  let hasEnded = false;
  whenEnded(address, () => {
    hasEnded = true;
    // Nothing can save the results of this process, and nothing else stops it.
    process.exit(1);
  });
  /** Detects the exit even before the open connection closes. */
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
      throw new StewardError({
        code: "ERR_ENGINE_GONE",
        reason: "the Pulumi engine has exited, so nothing could be saved; the request was not sent",
        hint: "If a rekey is in progress, first ask all holders whether a run of theirs still waits. Then run `pulumi cancel --yes` and `pulumi up --refresh`.",
      });
    },
  };
}
