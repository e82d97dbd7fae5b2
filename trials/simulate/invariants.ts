import { isRejected } from './hands.ts';
import { runOf } from './in-slack.ts';
import { encryptionKey } from './initial-rows.ts';
import type { Finding, Invariant, Outcome, World } from './invariant.ts';
import { brokenByActs, isTold } from './invariants-of-acts.ts';
import { brokenByMessages } from './invariants-of-messages.ts';
import { brokenByResults } from './invariants-of-results.ts';
import { runsKey } from './runs-model.ts';
import type { SlackModel } from './slack-model.ts';
import { type SlackMessage, workspaceOf, workspaceOfRun, workspaces } from './slack-world.ts';

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

  *'what was acknowledged is accepted'({ done, slack }, outcomes) {
    for (const { requestId, response, userId, atMs } of done.starts) {
      const isStored = outcomes.some(({ id }) => id === requestId);
      // If a lookup takes too long, the person reads later that nothing was started.
      if (
        !isStored &&
        !isRejected(response) &&
        !isTold(slack, userId, atMs, /nothing was started/i)
      )
        yield `${requestId} was acknowledged and isn't stored`;
    }
  },

  *'nothing of another workspace'({ plan, runs, database, slack }) {
    const homeOf = (text: string) => workspaceOfRun(Math.max(0, runOf(text)), plan.workspaces);
    for (const { id, team, prompt } of runs.runs)
      if (runOf(prompt) >= 0 && team !== homeOf(prompt).team) yield `${id} is of ${team}`;
    const rows = database.rows('select id, team_id, channel_id, creator_id from requests');
    for (const { id, team_id: team, channel_id: channel, creator_id: creator } of rows)
      for (const of of [channel, creator])
        if (workspaceOf(String(of))?.team !== team) yield `${String(id)} is of ${String(of)}`;
    yield* slack.intrusions;
    if (plan.workspaces > 1) yield* leaks(slack.messages);
  },

  *'no secret is in the logs'({ botLines }) {
    const tokens = workspaces.map(({ bot }) => bot.token);
    const secrets = [...tokens, runsKey, encryptionKey.toString('base64'), 'secret plan'];
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
  ...brokenByResults,
};

/** Yields messages about a run of the other workspace. */
function* leaks(messages: readonly SlackMessage[]): Generator<string> {
  for (const { channel, visibleTo, versions } of messages) {
    const place = channel === 'answers' ? (visibleTo ?? '') : channel;
    for (const { text, json } of versions) {
      const run = runOf(text + json);
      const isForeign = run >= 0 && workspaceOf(place) !== workspaceOfRun(run, workspaces.length);
      if (isForeign) yield `run ${run} is shown in ${place}`;
    }
  }
}

export function findBroken(world: World): Finding[] {
  const outcomes = readOutcomes(world);
  return Object.entries(invariants).flatMap(([promise, find]) =>
    [...find(world, outcomes)].map((about) => ({ promise, about })),
  );
}

/** Leaves out lost posts that may stay where the app can't read, while the same text was sent directly. */
const withoutStrays = (messages: SlackMessage[], { isOutside }: SlackModel): SlackMessage[] => {
  const direct = messages.filter(({ channel }) => channel.startsWith('D'));
  return isOutside && direct.length > 0 ? direct : messages;
};

function readOutcomes({ database, runs, slack }: World): Outcome[] {
  const rows = database.rows('select id, step, problem_json from requests order by id');
  return rows.map((row) => {
    const id = String(row['id']);
    const problem = row['problem_json'] ? JSON.parse(String(row['problem_json'])) : undefined;
    const marked = slack.messages.filter(
      (each) => each.metadata?.event_payload['request_id'] === id && !each.isDeleted,
    );
    const ofType = (type: string) =>
      withoutStrays(
        marked.filter((each) => each.metadata?.event_type === type),
        slack,
      );
    return {
      id,
      step: String(row['step']),
      problem: problem?.code,
      runs: runs.runs.filter(({ requestId }) => requestId === id),
      messages: ofType('slash_agent_run'),
      ends: ofType('slash_agent_run_end').filter(({ text }) => !text.includes('?')),
    };
  });
}
