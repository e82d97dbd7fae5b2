import { html, raw } from 'hono/html';
import { escapeCharacter, plainText } from '../../execution/output/last-lines.ts';

export type TerminalStyle = {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  color?: number;
};

const plain: TerminalStyle = { bold: false, dim: false, italic: false, underline: false };
/** Matches the terminal command for colors and text styles, "Select Graphic Rendition": ESC [ numbers m */
const graphics = new RegExp(`${escapeCharacter}\\[([\\d;]*)m`);

type TerminalLines = {
  /** Lines of output, as safe HTML. */
  lines: string[];
  /** Colors and other style at the start of the next line. */
  style: TerminalStyle;
};

/** Renders terminal output as HTML, with classes for colors and without other terminal commands. */
export function terminalLines(output: string, from: TerminalStyle = plain): TerminalLines {
  let style = from;
  const lines = output.split('\n').map((line) => {
    const [first = '', ...rest] = line.split(graphics);
    let rendered = span(first, style);
    for (let index = 0; index < rest.length; index += 2) {
      style = restyle(style, rest[index] ?? '');
      rendered += span(rest[index + 1] ?? '', style);
    }
    return rendered;
  });
  return { lines, style };
}

function span(text: string, style: TerminalStyle): string {
  const shown = plainText(text);
  if (shown === '') return '';
  const classes = classesOf(style);
  return String(
    classes === '' ? html`${shown}` : html`<span class="${raw(classes)}">${shown}</span>`,
  );
}

function classesOf({ bold, dim, italic, underline, color }: TerminalStyle): string {
  const names = [
    bold && 't-bold',
    dim && 't-dim',
    italic && 't-italic',
    underline && 't-underline',
    color !== undefined && `t-c${color}`,
  ];
  return names.filter(Boolean).join(' ');
}

function restyle(style: TerminalStyle, parameters: string): TerminalStyle {
  const codes = parameters.split(';').map(Number);
  let next = { ...style };
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    // Skip the numbers of a color out of 256 (5;n) or an RGB color (2;r;g;b), because such colors aren't rendered.
    if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
    else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: TerminalStyle, code: number): TerminalStyle {
  const { color, ...uncolored } = style;
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return uncolored;
  if (code >= 30 && code <= 37) return { ...uncolored, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...uncolored, color: code - 90 + 8 };
  return style;
}
