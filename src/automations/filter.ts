/** Filters of webhooks: lines such as `issue.title contains crash`, which people type and read in this form. */
import { shorten } from 'base/shorten';
import {
  type Condition,
  conditionSchema,
  type Filter,
  filterSchema,
  mostConditions,
} from './automation.ts';
import { matchesGlob } from './glob.ts';
import { valuesAt } from './payload-values.ts';
import { reference } from './template.ts';

const conditionLine =
  /^(?:payload\.)?([^\s.]+(?:\.[^\s.]+)*)\s+(equals|contains|matches)\s+(\S.*)$/i;
/** Matches a second condition in the same line, which would be read as text. */
const secondCondition = /\s(?:or|and)\s+\S+\s+(?:equals|contains|matches)\s/i;

/**
 * Reads a filter with one condition a line. All lines must hold; a line that starts with `or` is an alternative to the
 * line above. The problem is a sentence.
 */
export function readFilter(text: string): Filter | { problem: string } {
  const groups: Condition[][] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const [, joined = '', written = ''] = /^(?:(or|and)\s)?(.*)$/i.exec(line) ?? [];
    const condition = readCondition(written.trim());
    if ('problem' in condition) return condition;
    const group = groups.at(-1);
    if (joined.toLowerCase() === 'or' && group) group.push(condition);
    else groups.push([condition]);
  }
  const filter = filterSchema.safeParse(groups);
  return filter.data ?? { problem: `A filter can have at most ${mostConditions} conditions.` };
}

function readCondition(written: string): Condition | { problem: string } {
  const [, field, is, text = ''] = conditionLine.exec(written) ?? [];
  if (secondCondition.test(text))
    return { problem: `“${shorten(written, 80)}” has two conditions. Put each on its own line.` };
  const condition = conditionSchema.safeParse({ field, is: is?.toLowerCase(), text });
  if (condition.data) return condition.data;
  return {
    problem: `“${shorten(written, 80)}” isn't a condition. Type a field, then equals, contains or matches, then a text: issue.title contains crash`,
  };
}

/** Returns a filter as {@link readFilter} reads it. */
export const filterText = (filter: Filter): string =>
  filter.map((group) => group.map(conditionText).join('\nor ')).join('\n');

const conditionText = ({ field, is, text }: Condition): string =>
  `${field} ${is} ${text.replace(/\s+/g, ' ')}`;

/** Returns true if a payload passes a filter. An empty filter lets every payload pass. Case doesn't matter. */
export const matches = (filter: Filter, payload: unknown): boolean =>
  filter.every((group) => group.some((condition) => holds(condition, payload)));

function holds({ field, is, text }: Condition, payload: unknown): boolean {
  const values = valuesAt(payload, field);
  switch (is) {
    case 'equals': {
      const wanted = wantedText(text, payload)?.toLowerCase();
      return values.some((value) => value.toLowerCase() === wanted);
    }
    case 'contains':
      return values.some((value) => value.toLowerCase().includes(text.toLowerCase()));
    case 'matches':
      return values.some((value) => matchesGlob(text, value));
  }
}

/** Max characters of a value to compare with. */
const maxWantedLength = 20_000;

/**
 * Returns the text to compare with, which can refer to other fields. Their values are compared as they are, because
 * nobody sees them. Undefined if the payload doesn't have such a field.
 */
function wantedText(text: string, payload: unknown): string | undefined {
  let isKnown = true;
  const wanted = text.replace(reference, (_, path: string) => {
    const values = valuesAt({ payload }, path);
    isKnown &&= values.length > 0;
    return values.join(', ').slice(0, maxWantedLength);
  });
  return isKnown ? wanted : undefined;
}
