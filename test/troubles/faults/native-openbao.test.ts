import { matrix } from "./matrix";

matrix("openbao", "native");
