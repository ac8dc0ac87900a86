import { chart } from "../bench/chart";

test("each bar has the length of its value and stays inside its panel and the picture", () => {
  const bars = (...values: number[]) => values.map((value, index) => ({ name: `bar ${index}`, value, text: `${value} x` }));
  const svg = chart("A & B", "measured <here>", [
    {
      title: "time",
      groups: [
        { name: "create", bars: bars(1, 2) },
        { name: "destroy", bars: bars(4) },
      ],
    },
    { title: "state", groups: [{ name: "bytes", bars: bars(1385, 9300) }] },
  ]);
  const lengths = [...svg.matchAll(/<rect x="(\d+)" y="\d+" width="([\d.]+)"/g)].map(([, x, width]) => [Number(x), Number(width)] as const);
  expect(lengths.map(([, width]) => width)).toEqual([90, 180, 360, expect.closeTo((1385 / 9300) * 360, 1), 360]);
  const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
  expect(lengths.every(([x, length]) => x + length < width)).toBe(true);
  expect(Math.max(...[...svg.matchAll(/ y="(\d+)"/g)].map(([, y]) => Number(y)))).toBeLessThan(height);
  for (const said of ["A &amp; B", "measured &lt;here&gt;", "create", "destroy", "9300 x"]) expect(svg).toContain(said);
});
