export interface Bar {
  name: string;
  value: number;
  /** The value with its unit, shown behind the bar. */
  text: string;
}

/** A group of bars with the same scale. */
export interface Panel {
  title: string;
  groups: { name: string; bars: Bar[] }[];
}

const width = 760;
const left = 250;
const right = 150;
const row = 20;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Draws the bars as a self-contained SVG that supports light and dark mode. */
export function chart(title: string, note: string, panels: readonly Panel[]): string {
  const lines: string[] = [];
  let y = 30;
  const text = (x: number, words: string, style = ""): void => {
    lines.push(`  <text x="${x}" y="${y}"${style && ` class="${style}"`}>${escaped(words)}</text>`);
  };
  text(16, title, "title");
  y += row;
  text(16, note, "note");
  for (const panel of panels) {
    const longest = Math.max(...panel.groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
    y += 2 * row;
    text(16, panel.title, "panel");
    for (const { name, bars } of panel.groups) {
      y += 8;
      for (const [index, bar] of bars.entries()) {
        y += row;
        if (index === 0) text(16, name);
        text(90, bar.name);
        const length = (bar.value / longest) * (width - left - right);
        lines.push(`  <rect x="${left}" y="${y - 11}" width="${length.toFixed(1)}" height="13" class="bar-${index}" />`);
        text(left + Math.ceil(length) + 6, bar.text, "note");
      }
    }
  }
  const height = y + row;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>${escaped(title)}</title>
  <style>
    text { font: 12px system-ui, sans-serif; fill: #24292f; }
    .title { font-size: 16px; font-weight: 600; }
    .panel { font-size: 13px; font-weight: 600; }
    .note { fill: #57606a; }
    .bar-0 { fill: #8c959f; } .bar-1 { fill: #0969da; } .bar-2 { fill: #1a7f37; } .bar-3 { fill: #54aeff; } .bar-4 { fill: #6fdd8b; } .bar-5 { fill: #8250df; } .bar-6 { fill: #c297ff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; } .note { fill: #9198a1; }
      .bar-0 { fill: #6e7681; } .bar-1 { fill: #4493f8; } .bar-2 { fill: #3fb950; } .bar-3 { fill: #1158c7; } .bar-4 { fill: #196c2e; } .bar-5 { fill: #ab7df8; } .bar-6 { fill: #6639ba; }
    }
  </style>
${lines.join("\n")}
</svg>
`;
}
