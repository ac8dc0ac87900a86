import { command } from "./command";
import { creation } from "./creation";
import { lifecycle } from "./lifecycle";
import { MutatedFile } from "./mutant";
import { platform } from "./platform";
import { program } from "./program";
import { rekey } from "./rekey";
import { secrets } from "./secrets";
import { state } from "./state";
import { wire } from "./wire";

export const files: readonly MutatedFile[] = [
  ...lifecycle,
  ...state,
  ...creation,
  ...program,
  ...wire,
  ...platform,
  ...secrets,
  ...rekey,
  ...command,
];
