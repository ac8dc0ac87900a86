import { proxyFor } from "../../../provider/http/proxy";

const uri = "http://user:canary@127.0.0.1:1";
const proxy = { https_proxy: uri };
const other = { http_proxy: uri };

test.each<[environment: NodeJS.ProcessEnv, variable: string | undefined]>([
  [{}, undefined],
  [proxy, "https_proxy"],
  [other, "http_proxy"],
  [{ HTTPS_PROXY: uri }, "HTTPS_PROXY"],
  [{ ...proxy, ...other, HTTPS_PROXY: uri }, "https_proxy"],
  [{ https_proxy: "", ...other }, "http_proxy"],
  [{ https_proxy: "", http_proxy: "", HTTPS_PROXY: uri }, undefined],
  [{ ...proxy, no_proxy: "*" }, undefined],
  [{ ...proxy, no_proxy: "other.test  B.TEST" }, undefined],
  [{ ...proxy, no_proxy: "other.test,*.b.test" }, undefined],
  [{ ...proxy, no_proxy: "a.b.test:8200" }, undefined],
  [{ ...proxy, NO_PROXY: ".b.test:8200" }, undefined],
  [{ ...proxy, no_proxy: "b.test:443" }, "https_proxy"],
  [{ ...proxy, no_proxy: "test:8200x,.b" }, "https_proxy"],
  [{ ...proxy, no_proxy: "x.a.b.test, -a.b.test" }, "https_proxy"],
  [{ ...proxy, no_proxy: "", NO_PROXY: "b.test" }, "https_proxy"],
])("%j sets the proxy of https://a.b.test:8200 with %s", (environment, variable) => {
  const name = `the proxy http://127.0.0.1:1 in ${variable}`;
  expect(proxyFor("https://a.b.test:8200", environment)).toEqual(variable && { variable, uri, name });
});

test.each<[address: string, no_proxy: string, isUsed: boolean]>([
  ["http://a.test", "", true],
  ["http://a.test", "a.test:80", false],
  ["https://a.test", "a.test:443", false],
  ["https://a.test", "a.test:80", true],
  ["http://[fd00::1]:8200", "[fd00::1]", false],
  ["http://127.0.0.1:8200", "", false],
  ["https://localhost", "", false],
])("for %s with no_proxy=%j, http_proxy is used: %p", (address, no_proxy, isUsed) =>
  expect(proxyFor(address, { ...other, no_proxy }) !== undefined).toBe(isUsed),
);
