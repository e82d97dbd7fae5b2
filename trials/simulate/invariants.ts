import { encryptionKey } from './bots.ts';
import type { Finding, Invariant, Outcome, World } from './invariant.ts';
import { brokenByActs } from './invariants-of-acts.ts';
import { brokenByMessages } from './invariants-of-messages.ts';
import { runsKey } from './runs-model.ts';
import { bot, team } from './slack-world.ts';

const general: Readonly<Record<string, Invariant>> = {
  *'the bots start'({ bots }) {
    yield* bots.failures;
  },

  *'the models know every call'({ slack, runs }) {
    yield* slack.unknownMethods;
    yield* runs.unknownCalls;
  },

  *'nothing is stuck'({ isIdle, database }) {
    if (!isIdle) yield JSON.stringify(database.left());
  },

  *'an accepted request has one run'({ runs }, outcomes) {
    for (const { id, step, problem, runs: own } of outcomes) {
      const isWithout = step === 'not_started' || problem === 'canceled_before_start';
      if (own.length !== (isWithout ? 0 : 1)) yield `${id} (${step}) has ${own.length} runs`;
    }
    for (const { id, requestId } of runs.runs)
      if (!outcomes.some((each) => each.id === requestId)) yield `nobody asked for ${id}`;
  },

  *'what was acknowledged is accepted'({ done }, outcomes) {
    for (const { requestId, response } of done.starts) {
      const isRefused = JSON.stringify(response ?? '').includes('⚠️');
      if (!isRefused && !outcomes.some(({ id }) => id === requestId))
        yield `${requestId} was acknowledged and isn't stored`;
    }
  },

  *'nothing of another workspace'({ runs, database }) {
    for (const run of runs.runs) if (run.team !== team) yield `${run.id} is of ${run.team}`;
    for (const { id } of database.rows(`select id from requests where team_id <> '${team}'`))
      yield `${id} is of another workspace`;
  },

  *'no secret is in the logs'({ botLines }) {
    const secrets = [bot.token, runsKey, encryptionKey.toString('base64'), 'secret plan'];
    for (const line of botLines)
      for (const secret of secrets) if (line.includes(secret)) yield line.slice(0, 200);
  },

  *'no errors are logged'({ botLines }) {
    for (const line of botLines) {
      const { level, msg, err } = JSON.parse(line);
      if (level >= 50) yield [msg, err?.message].filter(Boolean).join(': ');
    }
  },
};

const invariants: Readonly<Record<string, Invariant>> = {
  ...general,
  ...brokenByMessages,
  ...brokenByActs,
};

export function findBroken(world: World): Finding[] {
  const outcomes = readOutcomes(world);
  return Object.entries(invariants).flatMap(([promise, find]) =>
    [...find(world, outcomes)].map((about) => ({ promise, about })),
  );
}

function readOutcomes({ database, runs, slack }: World): Outcome[] {
  const rows = database.rows('select id, step, problem_json from requests order by id');
  return rows.map((row) => {
    const id = String(row['id']);
    const problem = row['problem_json'] ? JSON.parse(String(row['problem_json'])) : undefined;
    const marked = slack.messages.filter(
      (each) => each.metadata?.event_payload['request_id'] === id && !each.isDeleted,
    );
    const ofType = (type: string) => marked.filter((each) => each.metadata?.event_type === type);
    return {
      ...{ id, step: String(row['step']), problem: problem?.code },
      runs: runs.runs.filter(({ requestId }) => requestId === id),
      messages: ofType('slash_agent_run'),
      ends: ofType('slash_agent_run_end').filter(({ text }) => !text.includes('?')),
    };
  });
}
