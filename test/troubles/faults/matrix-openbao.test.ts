import { matrix } from "./matrix";

matrix("openbao", "dynamic");
