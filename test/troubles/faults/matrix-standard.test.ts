import { matrix } from "./matrix";

matrix("standard", "dynamic");
