/** Renders a preview case as text in reading order, with controls in brackets. */
import type { PreviewCase } from './preview-cases.ts';

type Json = { [key: string]: unknown };

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

export function previewText({ group, name, kind, text, payload }: PreviewCase): string {
  const view: Json = payload;
  const frame = ['title', 'submit', 'close'].flatMap((key) =>
    view[key] === undefined ? [] : [`${key}: ${words(view[key])}`],
  );
  const lines = [
    `## ${group}, ${name} (${kind})`,
    ...(text === undefined ? [] : [`notification: ${text}`]),
    ...frame,
    ...payload.blocks.flatMap((block) => blockLines(block as Json)),
  ];
  return `${fold(lines.flatMap((line) => line.split('\n'))).join('\n')}\n`;
}

/** Replaces repeated lines with one line and their number. */
function fold(lines: string[]): string[] {
  const folded: { line: string; times: number }[] = [];
  for (const line of lines) {
    const last = folded.at(-1);
    if (last?.line === line && line !== '') last.times += 1;
    else folded.push({ line, times: 1 });
  }
  return folded.map(({ line, times }) => (times > 1 ? `${line} (${times} times)` : line));
}

function blockLines(block: Json): string[] {
  switch (block['type']) {
    case 'header':
      return [`# ${words(block['text'])}`];
    case 'section':
      return [[words(block['text']), ...accessory(block['accessory'])].join(' ')];
    case 'context':
      return [`  ${list(block['elements']).map(words).join(' | ')}`];
    case 'actions':
      return [list(block['elements']).map(control).join(' ')];
    case 'context_actions':
      return list(block['elements']).map(feedback);
    case 'plan':
      return [
        `▸ ${String(block['title'])}`,
        ...list(block['tasks']).map(
          ({ title, status }) => `    ${String(status)}: ${String(title)}`,
        ),
      ];
    case 'divider':
      return ['---'];
    case 'input':
      return inputLines(block);
    case 'rich_text':
      return list(block['elements']).map(richLine);
    case 'markdown':
      return String(block['text']).replaceAll('\u2060', '').split('\n');
    default:
      throw new Error(`the preview can't write a block of type ${String(block['type'])}`);
  }
}

const feedback = ({ positive_button: good, negative_button: bad }: Json) =>
  `[👍 ${words(good)}] [👎 ${words(bad)}]`;

function inputLines(block: Json): string[] {
  const optional = block['optional'] === true ? ' (optional)' : '';
  const line = `${words(block['label'])}${optional} ${control(block['element'])}`;
  return block['hint'] === undefined ? [line] : [line, `  ${words(block['hint'])}`];
}

const accessory = (element: unknown) => (element === undefined ? [] : [control(element)]);

/** Returns the text of a text object, an image, or a select menu's value. */
function words(value: unknown): string {
  if (!isJson(value)) return '';
  if (value['type'] === 'image') return `<image: ${String(value['alt_text'])}>`;
  const { text, description } = value;
  if (isJson(text)) return [text, description].filter(isJson).map(words).join(', ');
  return String(text);
}

function control(element: unknown): string {
  if (!isJson(element)) return '';
  const { text, url, confirm, options, placeholder } = element;
  if (element['type'] === 'image') return words(element);
  const parts = [
    ...(isJson(text) ? [words(text)] : [String(element['type']).replaceAll('_', ' ')]),
    ...(typeof url === 'string' ? [`→ ${url}`] : []),
    ...(isJson(placeholder) ? [`placeholder "${words(placeholder)}"`] : []),
    ...held(element),
    ...(Array.isArray(options) ? [`of: ${list(options).map(words).join(' / ')}`] : []),
    ...(isJson(confirm) ? [`asks: ${question(confirm)}`] : []),
  ];
  return `[${parts.join('; ')}]`;
}

const question = ({ title, text, confirm, deny }: Json) =>
  `${words(title)} ${words(text)} (${words(confirm)} / ${words(deny)})`;

function held(element: Json): string[] {
  const initial = Object.entries(element).filter(([key]) => key.startsWith('initial_'));
  return initial.map(([, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return `holds ${values.map((each) => (isJson(each) ? words(each) : String(each))).join(', ')}`;
  });
}

function richLine(element: Json): string {
  const inner = list(element['elements']).map((part) => {
    if (part['elements'] !== undefined) return richLine(part);
    const { text, url } = part;
    return url === undefined ? String(text) : `<${String(text)} → ${String(url)}>`;
  });
  switch (element['type']) {
    case 'rich_text_list':
      return inner.map((item) => `- ${item}`).join('\n');
    case 'rich_text_quote':
      return `> ${inner.join('').replaceAll('\n', '\n> ')}`;
    case 'rich_text_preformatted':
      return `\`\`\`\n${inner.join('')}\n\`\`\``;
    default:
      return inner.join('');
  }
}
