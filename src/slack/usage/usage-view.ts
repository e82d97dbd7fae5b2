/** Renders usage for `/agent usage` and for the modal that Home opens. */
import type { KnownBlock } from '@slack/types';
import type { SpentOnModel } from '../../store/requests/spending.ts';
import { titleLine } from '../runs/showing/run-label.ts';
import { type UsageQuestion, usagePeriods } from '../runs/usage-question.ts';
import { context, section } from '../text/blocks.ts';
import { escapeText, link } from '../text/escape-text.ts';
import { dollars, shortDollars } from '../text/money.ts';
import { codeBlock } from '../text/rich-text.ts';
import { type Bar, renderBars } from './bars.ts';
import { maxListed, type Usage } from './read-usage.ts';

/** Max length of a block of bars, in characters. */
const barsLimit = 2_000;

/** @param way `typed` adds the command for another period, and `chosen` is for a modal with choices */
export function renderUsage(
  usage: Usage,
  way: 'typed' | 'chosen',
): { text: string; blocks: KnownBlock[] } {
  const { question, report, hiddenMicros = 0 } = usage;
  const period = `in the last ${question.days} days`;
  const subject = subjectOf(question);
  const total = dollars(report.micros + hiddenMicros);
  const text = `Spent ${period}: ${total}`;
  if (report.runs === 0 && hiddenMicros === 0)
    return {
      text,
      blocks: [section(nothingText(question, period)), ...renderFootnote(usage, way)],
    };
  return {
    text,
    blocks: [
      section([`${subject} cost *${total}* ${period}.`, ...facts(usage)].join('\n')),
      ...renderGroup('By model', modelBars(usage)),
      ...(isOfOne(question) ? [] : renderGroup('By person', personBars(usage))),
      ...renderGroup('By environment', environmentBars(usage)),
      ...renderExpensive(usage),
      ...renderFootnote(usage, way),
    ],
  };
}

const isOfOne = ({ scope }: UsageQuestion) => scope.of === 'me' || scope.of === 'person';

function subjectOf({ scope }: UsageQuestion): string {
  switch (scope.of) {
    case 'me':
      return 'Your runs';
    case 'everyone':
      return "Everyone's runs";
    case 'person':
      return `<@${scope.userId}>'s runs`;
    case 'channel':
      return `Runs in <#${scope.channelId}>`;
  }
}

function nothingText({ scope }: UsageQuestion, period: string): string {
  switch (scope.of) {
    case 'me':
      return `You didn't start runs ${period}.`;
    case 'everyone':
      return `There are no runs ${period} that you can see.`;
    case 'person':
      return `There are no runs by <@${scope.userId}> ${period} that you can see.`;
    case 'channel':
      return `There are no runs in <#${scope.channelId}> ${period} that you can see.`;
  }
}

/** Returns the number of runs and tokens, and a line for each part that isn't included or isn't known. */
function facts({ report, hiddenMicros = 0 }: Usage): string[] {
  const { runs, tokens, incompleteRuns, unreportedRuns } = report;
  const missing = [
    ...(incompleteRuns > 0 ? [`${count(incompleteRuns, 'run')} without a full price`] : []),
    ...(unreportedRuns > 0 ? [`${count(unreportedRuns, 'run')} without a reported cost`] : []),
  ];
  return [
    [count(runs, 'run'), ...(tokens > 0 ? [count(tokens, 'token')] : [])].join('  ·  '),
    ...(missing.length > 0 ? [`⚠️ Some costs are unknown: ${missing.join(', ')}.`] : []),
    ...(hiddenMicros > 0
      ? [`*${dollars(hiddenMicros)}* of it is from conversations that you can't see.`]
      : []),
  ];
}

const count = (number: number, word: string) =>
  `${number.toLocaleString('en-US')} ${word}${number === 1 ? '' : 's'}`;

const typedScopes = { me: 'me', everyone: 'everyone', person: '@someone', channel: '#channel' };

function renderFootnote(
  { question: { scope, days }, report, hiddenMicros }: Usage,
  way: 'typed' | 'chosen',
): KnownBlock[] {
  const other = usagePeriods.find((each) => each !== days);
  const isAll = scope.of === 'me' || hiddenMicros === 0 || report.runs === 0;
  const subject = hiddenMicros === undefined ? 'Includes' : 'The lists include';
  const notes = [
    ...(isAll ? [] : [`${subject} only conversations that you can see.`]),
    ...(way === 'typed' ? [`\`/agent usage ${typedScopes[scope.of]} ${other}d\``] : []),
  ];
  return notes.length > 0 ? [context(notes.join('  ·  '))] : [];
}

function renderGroup(heading: string, bars: readonly Bar[]): KnownBlock[] {
  if (bars.length === 0) return [];
  return [section(`*${heading}*`), codeBlock(renderBars(bars), barsLimit)];
}

function modelBars({ report: { byModel, micros } }: Usage): Bar[] {
  if (byModel.length === 0) return [];
  const known = byModel.reduce((sum, each) => sum + each.micros, 0);
  return [
    ...listBars(byModel, (model) => ({ name: model.model, amount: amountOf(model) })),
    ...barOfRest(micros - known, 'other costs'),
  ];
}

const amountOf = ({ micros, isIncomplete }: SpentOnModel) =>
  micros === 0 && isIncomplete ? 'no price' : shortDollars(micros);

const personBars = ({ report: { byPerson }, people }: Usage) =>
  listBars(byPerson, ({ id, micros }) => ({
    name: people.get(id)?.name ?? id,
    amount: shortDollars(micros),
  }));

const environmentBars = ({ report: { byEnvironment } }: Usage) =>
  listBars(byEnvironment, ({ id, micros }) => ({
    name: id ?? 'default environment',
    amount: shortDollars(micros),
  }));

/** Returns a bar for each of the most expensive entries, and one for the others together. */
function listBars<Sum extends { micros: number }>(
  sums: readonly Sum[],
  textsOf: (sum: Sum) => Pick<Bar, 'name' | 'amount'>,
): Bar[] {
  const shown = sums.length <= maxListed ? sums : sums.slice(0, maxListed - 1);
  const others = sums.slice(shown.length);
  const rest = others.reduce((sum, each) => sum + each.micros, 0);
  return [
    ...shown.map((sum) => ({ ...textsOf(sum), size: sum.micros })),
    ...(others.length > 0
      ? [{ amount: shortDollars(rest), size: rest, name: `${others.length} others` }]
      : []),
  ];
}

const centInMicros = 10_000;

/** Returns a bar for the rest of a sum, unless it's only a rounding difference. */
const barOfRest = (micros: number, name: string): Bar[] =>
  micros >= centInMicros ? [{ amount: shortDollars(micros), size: micros, name }] : [];

function renderExpensive({ report: { mostExpensive }, links, question }: Usage): KnownBlock[] {
  if (mostExpensive.length < 2) return [];
  const lines = mostExpensive.map(({ id, creatorId, title, micros }) => {
    const name = titleLine(title);
    const linked = link(links.get(id), name) || escapeText(name, 100);
    const who = isOfOne(question) ? '' : `  ·  <@${creatorId}>`;
    return `•  *${dollars(micros)}*  ${linked}${who}`;
  });
  return [section(['*Most expensive runs*', ...lines].join('\n'))];
}
