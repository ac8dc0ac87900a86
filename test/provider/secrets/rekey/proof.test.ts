import { randomBytes } from "node:crypto";
import { prove, Share, shareOf } from "../../../../provider/secrets/rekey/protocol/crypto";
import { spoiled } from "../../../support/rekey";

/** Splits a secret by hand, since what the library computes is slow in Jest. */
function sharesOf(count: number, threshold: number): Share[] {
  const times = (a: number, b: number): number => {
    let product = 0;
    for (let [left, right] = [a, b]; right > 0; right >>= 1, left = (left << 1) ^ (left & 0x80 ? 0x11b : 0)) if (right & 1) product ^= left;
    return product;
  };
  const coefficients = [...Array(33).keys()].map(() => [...randomBytes(threshold)]);
  return [...Array(count).keys()].map((index) => {
    const point = index + 1;
    const values = coefficients.map((each) => each.reduce((value, coefficient) => times(value, point) ^ coefficient, 0));
    return shareOf(Buffer.from([...values, point]).toString("base64"), `share ${index}`);
  });
}
const broken = (share = {} as Share): Share => shareOf(spoiled(Buffer.from(share.bytes).toString("base64")), share.label);

test.each([
  [2, 2],
  [3, 2],
  [7, 4],
  [20, 11],
  [255, 253],
])("accepts %i shares with threshold %i", async (count, threshold) => {
  expect(await prove(sharesOf(count, threshold), threshold)).toEqual({ proven: true });
});

const everyThird = Array.from({ length: 85 }, (_, index) => index * 3);
// Those of 255 shares took minutes when the shares were combined anew for each of them. The bound is generous for a busy machine.
test.each<[number, number, number[], number[]]>([
  ...[0, 1, 5, 6].map((index): [number, number, number[], number[]] => [7, 4, [index], [index]]),
  // As many as the redundancy allows.
  [9, 4, [2, 3], [2, 3]],
  // Only one share is beyond the threshold.
  [3, 2, [1], []],
  [255, 128, [0], [0]],
  [255, 128, [127], [127]],
  [255, 200, [199], [199]],
  [255, 253, [100], [100]],
  [255, 128, everyThird, []],
])("of %i shares with threshold %i and the wrong ones %j, names %j in seconds", async (count, threshold, wrong, named) => {
  const shares = sharesOf(count, threshold).map((share, index) => (wrong.includes(index) ? broken(share) : share));
  const start = Date.now();
  const verdict = await prove(shares, threshold);
  const reason = `the shares do not match${named.length > 0 ? "" : ", and the wrong ones cannot be identified"}`;
  expect(verdict).toMatchObject({ proven: false, reason });
  expect("misfits" in verdict && verdict.misfits.map(({ label }) => label).sort()).toEqual(named.map((index) => `share ${index}`));
  expect(Date.now() - start).toBeLessThan(60_000);
});

test("rejects a share of another set", async () => {
  const [mine, others] = [sharesOf(4, 3), sharesOf(5, 3)];
  expect(await prove([...mine, others[4] as Share], 3)).toMatchObject({ proven: false });
});

test("compares without combining: one share, a threshold of one, lengths and duplicates", async () => {
  const key = shareOf(randomBytes(32).toString("base64"), "key");
  expect(await prove([key], 1)).toEqual({ proven: true });
  expect(await prove([key, key], 1)).toEqual({ proven: true });
  expect(await prove([key, broken(key)], 1)).toMatchObject({ proven: false, reason: "the shares are different keys" });
  const pointed = (value: string, point: number): Share =>
    shareOf(Buffer.concat([Buffer.from(value), Buffer.from([point])]).toString("base64"), `share ${point}`);
  expect(await prove([pointed("the key", 1), pointed("the key", 2)], 1)).toEqual({ proven: true });
  expect(await prove([pointed("the key", 1), pointed("the kez", 2)], 1)).toMatchObject({ proven: false });
  expect(await prove([pointed("the key", 1), pointed("the key", 1), pointed("the key", 2)], 1)).toMatchObject({ proven: false });
  const [a, b] = sharesOf(3, 2) as [Share, Share, Share];
  expect(await prove([a, b, a], 2)).toMatchObject({ proven: false, reason: "a share is duplicated" });
  expect(await prove([a, shareOf("00ff", "short")], 2)).toMatchObject({ proven: false, reason: "the shares differ in length" });
  expect(await prove([], 2)).toMatchObject({ proven: false });
});

test("cannot prove shares in another format", async () => {
  const foreign = [1, 2, 3].map((value) =>
    shareOf(Buffer.concat([Buffer.alloc(32, value), Buffer.from([9])]).toString("base64"), `share ${value}`),
  );
  expect(await prove(foreign, 2)).toMatchObject({ proven: "unknown" });
});
