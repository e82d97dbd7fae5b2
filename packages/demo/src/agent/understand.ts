export type DemoStep =
  | { kind: 'fail'; reason: string }
  | { kind: 'wait'; seconds: number }
  | { kind: 'think'; about: string; times: number }
  | { kind: 'replace'; from: string; to: string; file: string }
  | { kind: 'add-line'; line: string; file: string }
  | { kind: 'delete'; file: string }
  | { kind: 'choose-file'; question: string }
  | { kind: 'ask'; question: string }
  | { kind: 'count-todos' }
  | { kind: 'count-lines' }
  | { kind: 'list-files' }
  | { kind: 'search'; text: string }
  | { kind: 'unknown' };

const quote = '["\'`“”‘’]?';
const file = `${quote}([\\w./@-]*[\\w@-])${quote}`;
const the = '(?:the (?:file )?)?';
/**
 * Text to search for, which is either quoted or at most two words long. Longer text is probably a different request.
 */
const searched = '["\'`“‘][^\\n]+["\'`”’]|\\S+(?: \\S+)?';
const maxWaitSeconds = 600;
const maxThoughts = 50;

type Reader = [pattern: RegExp, read: (match: RegExpExecArray) => DemoStep];

/** Patterns of requests in order of priority. The first pattern that matches is used. */
const readers: Reader[] = [
  [
    new RegExp(
      `^(?:ask (?:me )?before (?:you )?)?(?:delete|deleting|remove|removing) ${the}${file}[.?!]*$`,
      'i',
    ),
    ([, name = '']) => ({ kind: 'delete', file: name }),
  ],
  [
    /^ask(?: me)? (which file\b.*)$/is,
    ([, text = '']) => ({ kind: 'choose-file', question: asQuestion(text) }),
  ],
  [
    /^ask(?: me)?(?: for)?[\s:,]+(.+)$/is,
    ([, text = '']) => ({ kind: 'ask', question: asQuestion(text) }),
  ],
  [
    /^fail\b[\s:,]*(?:with|because(?: of)?|saying)?\s*(.*)$/is,
    ([, reason = '']) => ({
      kind: 'fail',
      reason: unquoted(reason) || 'You asked the demo agent to fail.',
    }),
  ],
  [
    /^(?:wait|sleep)(?: for)? (\d+)\s*(s|sec|seconds?|m|min|minutes?)?\b/i,
    ([, amount = '0', unit = 's']) => ({
      kind: 'wait',
      seconds: Math.min(maxWaitSeconds, Number(amount) * (/^m/i.test(unit) ? 60 : 1)),
    }),
  ],
  [
    /^think(?: hard)?(?: about)? (.+?)(?:,? (\d+) times)?[.!]*$/is,
    ([, about = '', times = '1']) => ({
      kind: 'think',
      about: unquoted(about),
      times: Math.min(maxThoughts, Number(times)),
    }),
  ],
  [
    new RegExp(`\\breplace (.+?) (?:with|by) (.+?) in ${the}${file}`, 'is'),
    ([, from = '', to = '', name = '']) => ({
      kind: 'replace',
      from: unquoted(from),
      to: unquoted(to),
      file: name,
    }),
  ],
  [
    new RegExp(`\\badd (?:a |the )?line (.+?) to ${the}${file}`, 'is'),
    ([, line = '', name = '']) => ({ kind: 'add-line', line: unquoted(line), file: name }),
  ],
  [
    new RegExp(
      `\\badd (?:a |the )?line to ${the}${file}[\\s:,]*(?:saying|that says)?\\s*(.+)`,
      'is',
    ),
    ([, name = '', line = '']) => ({ kind: 'add-line', line: unquoted(line), file: name }),
  ],
  [
    /^(?:count|how many|list|find|show|which|what|report|are there)\b.*\bto-?dos?\b/is,
    () => ({ kind: 'count-todos' }),
  ],
  [/^(?:count|how many)\b.*\blines\b/is, () => ({ kind: 'count-lines' })],
  [/^(?:list|show|which|what|count|how many)\b.*\bfiles\b/is, () => ({ kind: 'list-files' })],
  [
    new RegExp(
      `^(?:search(?: for)?|grep(?: for)?|look for|find) (${searched})(?: in (?:the )?(?:code|files|repo(?:sitory)?|project))?[.?!]*$`,
      'is',
    ),
    ([, text = '']) => ({ kind: 'search', text: unquoted(text) }),
  ],
];

/**
 * Finds steps in a prompt by keywords. "then", semicolons and line ends separate steps. Skips text that isn't
 * understood.
 */
export function understand(prompt: string): DemoStep[] {
  const parts = prompt
    .split(/(?:,?\s+and)?,?\s+then\s+|[;\n]+/i)
    .map((part) => part.trim().replace(/^(?:please|now|and|could you|can you)\s+/i, ''));
  const steps = parts.flatMap((part) => readStep(part) ?? []);
  return steps.length > 0 ? steps : [{ kind: 'unknown' }];
}

function readStep(part: string): DemoStep | undefined {
  for (const [pattern, read] of readers) {
    const match = pattern.exec(part);
    if (match) return read(match);
  }
  return undefined;
}

function unquoted(text: string): string {
  return text.trim().replace(/^["'`“‘](.*)["'`”’]$/s, '$1');
}

const asQuestion = (text: string): string => {
  const question = unquoted(text).replace(/[.?!]*$/, '?');
  return question.charAt(0).toUpperCase() + question.slice(1);
};
