import { matrix } from "./matrix";

matrix("standard", "native");
