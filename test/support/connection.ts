import { ConfigurationSources, connect, sourcesOf } from "../../provider/connection";
import { Writer } from "../../provider/contract/operation";
import { system as platform } from "../../provider/platform/client";
import { system as scheduler } from "../../provider/scheduler/client";
import { system as secrets } from "../../provider/secrets/client";

export const systems = { secrets, platform, scheduler };

/** Creates a connection without the life cycle. `given` replaces the default sources: an empty environment and no engine. */
export function connectTo(
  system: keyof typeof systems,
  settings: object,
  given: Partial<ConfigurationSources> = {},
  name = "default",
): Writer {
  const config = JSON.stringify({ [system]: { dialect: "standard", ...settings } });
  return connect(systems[system], name, { ...sourcesOf(() => config), environment: {}, ...given });
}
