import { Section } from "./attack";
import { clusters } from "./clusters";
import { connections } from "./connections";
import { failures } from "./failures";
import { holders } from "./holders";
import { inputsAndStates } from "./inputs";
import { kills } from "./kills";
import { lists } from "./lists";
import { messages } from "./messages";
import { objects } from "./objects";
import { packages, signingKeys } from "./package";
import { references } from "./references";
import { rekeys } from "./rekeys";
import { responses } from "./responses";
import { secrets } from "./secrets";

/** The attacks, in the order of the page. */
export const sections: readonly Section[] = [
  { title: "Objects on the servers", attacks: [...objects, ...rekeys, ...holders, ...responses, ...inputsAndStates, ...kills] },
  { title: "Secrets", attacks: [...secrets, ...references, ...messages] },
  { title: "Failed runs, previews that read, and elections", attacks: failures },
  { title: "Time and connections", attacks: connections },
  { title: "Clusters", attacks: clusters },
  { title: "Lists and waits", attacks: lists },
  { title: "Signing keys", attacks: signingKeys },
  { title: "The package itself", attacks: packages },
];
