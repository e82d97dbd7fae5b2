/** Computes the outcome of the day: latencies, and requests without exactly one run, one message and the true end. */

import type { AnyDb } from 'base/database/tables';
import { sql } from 'kysely';
import type { Db } from 'runs-service/store/schema';
import { stateLabel } from '../../src/slack/runs/showing/run-label.ts';
import type { Deed } from './people.ts';
import { quantilesOf } from './result.ts';
import type { ShownMessage, Told } from './slack-model.ts';

const starts: readonly Deed['kind'][] = ['command', 'submit'];
/** Time in ms after which Slack shows the person that the app didn't respond. */
const lateMs = 3_000;
const saysNothing = /Nothing was started/;
/** Text for a start with an unknown outcome. */
const saysUnsure = /may not have been saved/;

export type ServiceRow = {
  number: number;
  state: string;
  started_at: number | null;
  ended_at: number | null;
};

/** Reads the service's runs, with the number in their titles. */
export async function readRuns(db: Db): Promise<ServiceRow[]> {
  const rows = await db
    .selectFrom('service_runs')
    .select(['title', 'state', 'started_at', 'ended_at'])
    .execute();
  return rows.map(({ title, ...row }) => ({
    ...row,
    number: Number(/Ticket (\d+)/.exec(title)?.[1] ?? -1),
  }));
}

/** Returns the size on disk, which includes pages that are free again. */
export async function databaseBytes(db: AnyDb): Promise<number> {
  const { rows } = await sql<{
    bytes: number;
  }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

type Lived = {
  deeds: readonly Deed[];
  messages: readonly ShownMessage[];
  told: readonly Told[];
  runs: readonly ServiceRow[];
};

export function outcomeOf({ deeds, messages, told, runs }: Lived) {
  const asked = deeds.filter(({ kind }) => starts.includes(kind));
  const [messagesOf, toldOf, runsOf] = [byNumber(messages), byNumber(told), byNumber(runs)];
  const wordsTo = ({ kind, number, problem = '' }: Deed) => {
    const words = (toldOf.get(number) ?? []).map((each) => each.words);
    // Leave out answers to the command that opened the form, because it has the same number.
    const own = kind === 'submit' ? words.filter((each) => !each.includes('> /agent')) : words;
    return [problem, ...own].join('\n');
  };
  // Requests that weren't acknowledged in time may have a run or not, so they aren't accepted.
  const accepted = asked.filter((deed) => {
    const words = wordsTo(deed);
    return !deed.problem && !saysNothing.test(words) && !saysUnsure.test(words);
  });
  const stateOf = ({ number }: Deed) => {
    const run = runsOf.get(number)?.[0];
    const word = messagesOf.get(number)?.[0]?.shown.at(-1)?.word;
    if (word === undefined) return 'lost';
    // A request canceled before its run existed has a message only.
    if (!run) return word === canceledWord ? 'shown' : 'lost';
    return run.ended_at && word === stateLabel(run.state).word ? 'shown' : 'unfinished';
  };
  const lost = accepted.filter((deed) => stateOf(deed) === 'lost');
  const unfinished = accepted.filter((deed) => stateOf(deed) === 'unfinished');
  const double = asked.filter((deed) => {
    const copies = [messagesOf, runsOf].map((each) => each.get(deed.number)?.length ?? 0);
    return Math.max(...copies) > (saysNothing.test(wordsTo(deed)) ? 0 : 1);
  });
  const story = (deed: Deed) =>
    JSON.stringify({
      deed,
      told: toldOf.get(deed.number),
      messages: messagesOf.get(deed.number),
      runs: runsOf.get(deed.number),
    });
  const isLate = ({ sentAt, answeredAt }: Deed) => answeredAt - sentAt > lateMs;
  return {
    accepted: accepted.length,
    mostAtOnce: mostAtOnce(runs),
    late: deeds.filter(isLate).length,
    rejected: deeds.filter((deed) => deed.problem && !isLate(deed)).length,
    lost: lost.length,
    unfinished: unfinished.length,
    failed: runs.filter(({ state }) => state === 'FAILED').length,
    double: double.length,
    stories: [...lost, ...double].map(story),
    acknowledgement: quantilesOf(deeds.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
    acceptedToMessage: quantilesOf(
      accepted.flatMap(({ number, answeredAt }) => {
        const [message] = messagesOf.get(number) ?? [];
        return message ? [Math.max(0, message.postedAt - answeredAt)] : [];
      }),
    ),
    changeToMessage: quantilesOf(
      runs.flatMap((run) => {
        const [message] = messagesOf.get(run.number) ?? [];
        return message ? shownAfter(run, message) : [];
      }),
    ),
  };
}

const runningWord = stateLabel('INPROGRESS').word;
const canceledWord = stateLabel('CANCELLED').word;

/** Returns the times until the start and the end of a run were shown, in ms. An end that came first shows both. */
function shownAfter(
  { state, started_at: start, ended_at: end }: ServiceRow,
  message: ShownMessage,
) {
  const endWord = stateLabel(state).word;
  const sawEnd = message.shown.find(({ word }) => word === endWord);
  const sawStart = message.shown.find(({ word }) => word === runningWord) ?? sawEnd;
  return [
    ...(start !== null && sawStart ? [sawStart.at - start] : []),
    ...(end !== null && sawEnd ? [sawEnd.at - end] : []),
  ];
}

function mostAtOnce(runs: readonly ServiceRow[]): number {
  const steps = runs.flatMap(({ started_at: start, ended_at: end }) => [
    ...(start === null ? [] : [{ at: start, by: 1 }]),
    ...(start === null || end === null ? [] : [{ at: end, by: -1 }]),
  ]);
  let [now, most] = [0, 0];
  for (const { by } of steps.toSorted((one, other) => one.at - other.at)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

function byNumber<Row extends { number: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const found = new Map<number, Row[]>();
  for (const row of rows) found.set(row.number, [...(found.get(row.number) ?? []), row]);
  return found;
}
