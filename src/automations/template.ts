/** Prompt templates: text with references such as `{{ payload.issue.title }}`. */
import { readableLine } from 'base/readable-text';
import { createMask, isSecretName } from 'base/secrets/mask-secrets';
import { shorten } from 'base/shorten';
import type { TriggerKind } from './automation.ts';
import { valuesAt } from './payload-values.ts';

/** Values that a template can refer to. `date` is a day in the owner's time zone, such as 2026-11-27. */
export type TemplateValues = {
  payload?: unknown;
  message?: { text: string; author: string; link: string };
  date: string;
};

/**
 * Matches a reference. Texts such as `${{ github.ref }}` and `{{ user.name }}` aren't references, because prompts can be
 * about other templates.
 */
export const reference = /(?<!\$)\{\{[^\S\n]*((?:payload|message|date)(?:\.[\w-]+)*)[^\S\n]*\}\}/g;
const maxValueLength = 500;
/** Max different references in a template, because each one searches the payload. */
const maxReferences = 50;
/** Max characters of a value to search for secrets. */
const maskedLength = 20_000;

/**
 * Replaces the references of a template. Values come from outside, so each becomes one short line with secrets masked,
 * and references in them stay text. `unknown` are the references without a value, which become empty.
 */
export function renderTemplate(
  template: string,
  values: TemplateValues,
): { text: string; unknown: string[] } {
  const mask = createMask();
  const lines = new Map<string, string>();
  const unknown: string[] = [];
  function read(path: string): string {
    const found = valuesAt(values, path);
    if (found.length === 0) unknown.push(path);
    const name = path.split('.').findLast((key) => !/^\d+$/.test(key)) ?? '';
    const shown = isSecretName(name) ? found.map(mask.whole) : found;
    const line = mask(shown.join(', ').slice(0, maskedLength));
    return shorten(readableLine(line), maxValueLength);
  }
  const text = template.replace(reference, (_, path: string) => {
    const line = lines.get(path) ?? read(path);
    lines.set(path, line);
    return line;
  });
  return { text, unknown };
}

/** Values of each trigger, in the form in which templates refer to them. */
const valuesOf: Record<TriggerKind, readonly string[]> = {
  schedule: ['date'],
  webhook: ['payload.…', 'date'],
  message: ['message.text', 'message.author', 'message.link', 'date'],
  reaction: ['message.text', 'message.author', 'message.link', 'date'],
};

/** Returns a sentence if a template refers to something that its trigger doesn't have. */
export function templateProblem(template: string, kind: TriggerKind): string | undefined {
  const known = valuesOf[kind];
  const isKnown = (path: string) =>
    known.includes(path) || (path.startsWith('payload.') && known.includes('payload.…'));
  const paths = new Set([...template.matchAll(reference)].map(([, path = '']) => path));
  if (paths.size > maxReferences)
    return `A prompt can have at most ${maxReferences} different values.`;
  const unreadable = /(?<!\$)\{\{\s*(?:payload|message|date)\b[^\n]{0,60}/.exec(
    template.replace(reference, ''),
  );
  const written = [...paths].find((path) => !isKnown(path));
  if (written === undefined && !unreadable) return undefined;
  const shown = written === undefined ? unreadable?.[0] : `{{ ${written} }}`;
  const choices = known.map((each) => `{{ ${each} }}`).join(', ');
  return `“${shown}” isn't a value of this trigger. It has ${choices}.`;
}

/** Invisible character that keeps Slack and other services from reading a link or a mention. */
const wordJoiner = '\u2060';

/**
 * Returns a text in which addresses and mentions stay text wherever it's shown. For titles, which also appear in texts
 * that Slack searches for links.
 */
export const defused = (text: string): string =>
  text.replace(/:(?=\/\/)|\bwww(?=\.)|@(?=channel\b|here\b|everyone\b)/gi, `$&${wordJoiner}`);
