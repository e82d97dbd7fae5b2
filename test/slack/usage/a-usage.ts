import type { Usage } from '../../../src/slack/usage/read-usage.ts';
import type { SpendingReport } from '../../../src/store/requests/spending.ts';

const dollars = (amount: number) => Math.round(amount * 1_000_000);

export const noSpending: SpendingReport = {
  runs: 0,
  micros: 0,
  tokens: 0,
  incompleteRuns: 0,
  unreportedRuns: 0,
  byModel: [],
  byPerson: [],
  byEnvironment: [],
  mostExpensive: [],
};

/** A busy week, with all that a report can have. */
export const busyWeek: SpendingReport = {
  runs: 61,
  micros: dollars(48.2),
  tokens: 31_204_118,
  incompleteRuns: 3,
  unreportedRuns: 1,
  byModel: [
    ['claude-opus-5-5', 31.1],
    ['gpt-6.1-sol', 9.04],
    ['claude-haiku-4-5', 4.9],
    ['gemini-3.5-flash', 0.002],
    ['acme/own-model-70b', 0],
  ].map(([model, cost]) => ({
    model: String(model),
    micros: dollars(Number(cost)),
    tokens: 1_000,
    isIncomplete: cost === 0,
  })),
  byPerson: [
    ['U04ADALOVEL', 30],
    ['U04GRACEHOP', 12.2],
    ['U04ALANTURI', 4],
    ['U05', 1],
    ['U06', 0.5],
    ['U07', 0.3],
    ['U08', 0.2],
  ].map(([id, cost]) => ({ id: String(id), micros: dollars(Number(cost)), runs: 3 })),
  byEnvironment: [
    { id: 'shop', micros: dollars(40), runs: 40 },
    { id: null, micros: dollars(8.2), runs: 21 },
  ],
  mostExpensive: [
    ['V1', 'U04ADALOVEL', 'Move the checkout to the new payment API', 9.4],
    ['V2', 'U04GRACEHOP', 'Find out why the nightly build is slow', 6.12],
    ['V3', 'U04ADALOVEL', 'Update all dependencies', 3.3],
  ].map(([id, creatorId, title, cost]) => ({
    id: String(id),
    creatorId: String(creatorId),
    title: String(title),
    micros: dollars(Number(cost)),
  })),
};

const person = (name: string) => ({
  name,
  picture: undefined,
  teamIds: ['T1'],
  role: 'member' as const,
  isAdmin: false,
  timeZone: 'UTC',
});

export const aUsage = (changes: Partial<Usage> = {}): Usage => ({
  question: { scope: { of: 'everyone' }, days: 7 },
  report: busyWeek,
  people: new Map([
    ['U04ADALOVEL', person('Ada Lovelace')],
    ['U04GRACEHOP', person('Grace Hopper')],
    ['U04ALANTURI', person('Alan Turing')],
  ]),
  links: new Map([['V1', 'https://acme.slack.com/archives/C1/p1760000000000100']]),
  hiddenMicros: undefined,
  ...changes,
});
