import { command } from "./command";
import { creation } from "./creation";
import { lifecycle } from "./lifecycle";
import { MutatedFile } from "./mutant";
import { platform } from "./platform";
import { rekey } from "./rekey";
import { secrets } from "./secrets";
import { wire } from "./wire";

export const files: readonly MutatedFile[] = [...lifecycle, ...creation, ...wire, ...platform, ...secrets, ...rekey, ...command];
