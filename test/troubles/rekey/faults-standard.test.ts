import { everyBlow } from "./shapes";

everyBlow("standard", ["1/1 to 1/1", "5/3 to 3/2", "5/3 to 5/3, each holder", "3/2 to 3/2, PGP and backup, no verification"]);
