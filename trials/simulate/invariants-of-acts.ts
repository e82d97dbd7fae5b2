import type { Invariant, World } from './invariant.ts';
import type { Fault } from './plan.ts';

/** Promises about people's acts on runs. */
export const brokenByActs: Readonly<Record<string, Invariant>> = {
  *'a cancel ends the run'({ done }, outcomes) {
    for (const { requestId } of done.cancels) {
      const outcome = outcomes.find(({ id }) => id === requestId);
      const [run] = outcome?.runs ?? [];
      if (run && !['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(run.state))
        yield `${requestId} was canceled and ${run.id} is ${run.state}`;
    }
  },

  *'only those cancel who may'({ database }) {
    const asked = database.rows('select id from requests where cancel_asked_by <> creator_id');
    for (const { id } of asked) yield `someone else canceled ${String(id)}`;
  },

  *'a mention starts a run, or its author is told'({ done, slack }, outcomes) {
    const deleted = deletedWords(done);
    for (const { requestId, prompt, userId, atMs } of done.mentions) {
      const isStarted = outcomes.some(({ id }) => id === requestId);
      if (!isStarted && !deleted.includes(prompt) && !isTold(slack, userId, atMs))
        yield `${requestId} got lost`;
    }
  },

  *'a follow-up reaches the run once, or its author is told'({ done, runs, slack }) {
    const deleted = deletedWords(done);
    for (const { text: words, channel, userId, atMs, counts } of done.followUps) {
      const reached = reachedBy(runs, words);
      if (reached.length > 1) yield `"${words}" reached ${reached.length} times`;
      // Accept a canceled run, because the mention may have started one that was canceled before it was created.
      const isCanceled = slack.messages.some(({ versions }) =>
        versions.at(-1)?.text.includes(`Canceled: ${words}`),
      );
      const isLost = reached.length === 0 && counts && !deleted.includes(words);
      if (isLost && !isCanceled && !isTold(slack, userId, atMs))
        yield `"${words}" in ${channel} got lost`;
    }
  },

  *'an edit counts until its message is sent'({ plan, done, runs, database }) {
    // Returns true for faults after which the last sends of a process, or their time, are unknown.
    const isUnclear = (fault: Fault) =>
      ['crash', 'freeze', 'clock'].includes(fault.type) ||
      ('how' in fault && fault.how === 'receiver crashes') ||
      (fault.type === 'call' && fault.fault.kind === 'caller crashes');
    if (plan.faults.some(isUnclear)) return;
    const rows = database.rows('select id, accepted_at from requests');
    const acceptedAt = new Map(rows.map(({ id, accepted_at: at }) => [id, Number(at)]));
    const started = runs.runs.map(({ requestId, prompt: text }) => ({
      text,
      atMs: acceptedAt.get(requestId) ?? 0,
    }));
    for (const { before, after, atMs } of done.edits) {
      const sent = [...runs.sent, ...started].find(({ text }) => text.startsWith(before));
      const isCurrent = after !== undefined && sent?.text.startsWith(after);
      if (sent && sent.atMs > atMs && !isCurrent) yield `"${sent.text}" isn't "${after}"`;
    }
  },

  *'a plain reply is for the run only where the channel says so'({ done, runs }) {
    for (const { text, channel, counts } of done.followUps)
      if (!counts && reachedBy(runs, text).length > 0)
        yield `"${text}" in ${channel} wasn't for the run`;
  },

  *'one answer counts'({ runs, database }) {
    for (const { id, answers } of runs.runs)
      if (answers.length > 1) yield `${id} got ${answers.length} answers`;
    for (const { id } of database.rows('select id from answers where outcome is null'))
      yield `nobody knows what came of the answer to ${String(id)}`;
    const settled = database.rows('select request_id, outcome from answers');
    for (const { request_id: requestId, outcome } of settled) {
      const run = runs.runs.find((each) => each.requestId === requestId);
      const isReceived = (run?.answers.length ?? 0) > 0;
      const isTrue = outcome === 'unclear' || (outcome === 'accepted') === isReceived;
      if (!isTrue)
        yield `${run?.id} got ${run?.answers.length} answers, shown as ${String(outcome)}`;
    }
  },
};

/** Returns true if the app has sent a person a private message since then. */
export const isTold = (
  slack: World['slack'],
  userId: string,
  sinceMs: number,
  words = /./,
): boolean =>
  slack.messages.some(
    ({ visibleTo, versions: [first] }) =>
      visibleTo === userId && first && first.atMs >= sinceMs && words.test(first.text),
  );

const deletedWords = ({ edits }: World['done']) =>
  edits.filter(({ after }) => after === undefined).map(({ before }) => before);

/**
 * Returns runs that got this text. In a thread that isn't known as a run's yet, a mention starts a run, with the rest
 * of the thread after its prompt.
 */
const reachedBy = (runs: World['runs'], words: string) =>
  runs.runs.flatMap(({ prompt, followUps }) =>
    [prompt.split('\n', 1).join(), ...followUps.map((each) => each.text)].filter((each) =>
      each.includes(words),
    ),
  );
