// Draws a recorded terminal as an animated SVG. Each line appears at the time of its output, and older lines scroll away.

export interface Line {
  /** The line with ANSI colors. */
  text: string;
  /** The time in seconds since the beginning. */
  at: number;
}

const escapeCharacter = "\u001b";
const columns = 100;
const rows = 26;
const lineHeight = 19;
const margin = 16;
/** The seconds for which the last picture stays. */
const rest = 6;

/** The colors of a dark terminal, by their ANSI number. */
const [red, green, orange, blue, violet, cyan, gray] = ["#f47067", "#8ddb8c", "#f69d50", "#6cb6ff", "#dcbdfb", "#96d0ff", "#768390"];
const colors: Record<number, string | undefined> = { 1: red, 2: green, 3: orange, 4: blue, 5: violet, 6: cyan, 8: gray, 13: violet };

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A line as SVG, with a `tspan` for each change of color. */
const colored = (text: string): string =>
  `0m${text}`
    .split(`${escapeCharacter}[`)
    .map((part) => {
      const [, codes = "", rest = ""] = /^([\d;]*)m(.*)$/s.exec(part) ?? ["", "", part];
      const color = colors[Number(codes.replace("38;5;", "")) - (codes.startsWith("38;5;") ? 0 : 30)];
      const style = color ? ` fill="${color}"` : codes === "1" ? ' font-weight="bold"' : "";
      return rest && style ? `<tspan${style}>${escaped(rest)}</tspan>` : escaped(rest);
    })
    .join("");

/** Draws the recording as a loop. With reduced motion, only its end is visible. */
export function drawTerminal(title: string, lines: readonly Line[]): string {
  const seconds = (lines.at(-1)?.at ?? 0) + rest;
  const percent = (at: number): string => `${((at / seconds) * 100).toFixed(2)}%`;
  const [width, height] = [columns * 8.43 + 2 * margin, rows * lineHeight + 2 * margin + 22];
  const moves = lines.slice(rows).map(({ at }, index) => `${percent(at)} { transform: translateY(${-(index + 1) * lineHeight}px); }`);
  const drawn = lines.map(({ text, at }, index) => ({
    style: `@keyframes l${index} { 0% { opacity: 0; } ${percent(at)}, 100% { opacity: 1; } } .l${index} { animation-name: l${index}; }`,
    element: `<text class="l${index}" x="${margin}" y="${(index + 1) * lineHeight}" xml:space="preserve">${colored(text)}</text>`,
  }));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" width="${width.toFixed(0)}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #cdd9e5; }
#lines { transform: translateY(${-Math.max(0, lines.length - rows) * lineHeight}px); }
@media (prefers-reduced-motion: no-preference) {
#lines, #lines text { animation: ${seconds.toFixed(1)}s step-end infinite; }
#lines { animation-name: scroll; }
@keyframes scroll { 0% { transform: translateY(0); } ${moves.join(" ")} 100% { transform: translateY(${-Math.max(0, lines.length - rows) * lineHeight}px); } }
${drawn.map(({ style }) => style).join("\n")}
}
</style>
<clipPath id="screen"><rect y="33" width="100%" height="${rows * lineHeight + margin}"/></clipPath>
<rect width="100%" height="100%" rx="8" fill="#22272e"/>
${["#f47067", "#f69d50", "#8ddb8c"].map((color, index) => `<circle cx="${margin + 4 + index * 18}" cy="16" r="5" fill="${color}"/>`).join("")}
<g clip-path="url(#screen)"><g transform="translate(0 28)"><g id="lines">
${drawn.map(({ element }) => element).join("\n")}
</g></g></g>
</svg>
`;
}

const color = `${escapeCharacter}\\[[\\d;]*m`;
/** The parts of a line that fit into the terminal, between words if possible. Colors take no width. */
const part = `(?:(?:${color})*[^${escapeCharacter}]){1,${columns}}(?:${color})*`;
const screenLine = new RegExp(`${part}(?= |$)|${part}|(?:${color})+`, "gu");

/** A line of output, wrapped. */
export const wrapped = (line: string): string[] => line.match(screenLine) ?? [""];
