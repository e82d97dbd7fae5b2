import type { Run } from 'runs-client/contract';
import type { Db as ServiceDb } from 'runs-service/store/schema';
import type { LocalWorkspace } from 'slack-stand-in';
import { z } from 'zod';
import { createAnswers } from '../src/store/requests/answers.ts';
import type { Db } from '../src/store/schema.ts';
import { questionEvent } from './answering.ts';
import { markedMessages, markOf } from './marked.ts';
import type { Said } from './run-acts.ts';

type Stores = { bot: Db; service: ServiceDb };

/** Finds cancels and follow-ups that the runs service got twice or not at all, although the app reported success. */
export async function compareActs({ bot, service }: Stores, said: readonly Said[]) {
  const taken = await service.selectFrom('service_run_followups').selectAll().execute();
  const count = (text: string) => taken.filter(({ message }) => message.includes(text)).length;
  // Include prompts, because a reply to an ended run starts the next one.
  const prompts = await service.selectFrom('service_runs').select(['id', 'prompt']).execute();
  const isTaken = (text: string) =>
    count(text) > 0 || prompts.some(({ prompt }) => prompt.includes(text));
  const canceled = await bot
    .selectFrom('requests')
    .select(['id', 'run_state'])
    .where('cancel_asked_by', 'is not', null)
    .execute();
  return {
    canceled: canceled.map(({ id }) => id),
    followUps: taken.length,
    lostCancels: canceled.filter((each) => each.run_state !== 'CANCELLED').map(({ id }) => id),
    lostFollowUps: said
      .filter(({ text, isConfirmed }) => isConfirmed() && !isTaken(text))
      .map(({ text }) => text),
    duplicateFollowUps: said.filter(({ text }) => count(text) > 1).map(({ text }) => text),
  };
}

const takenSchema = z.object({ option_id: z.string().optional(), text: z.string().optional() });

/** Words of the card for each option of the agent's permission. */
const decisions: Partial<Record<string, string>> = {
  allow: 'Allowed once',
  reject: 'Denied',
};

/** Number of questions that the asking agent has: a permission and a text. */
const questionsOfAgent = 2;

/** Finds questions without an answer, or with another answer than the card and the agent show. */
export async function compareAnswers(
  { bot, service }: Stores,
  workspace: LocalWorkspace,
  runs: readonly Run[],
) {
  const answers = createAnswers(bot);
  const rows = await bot.selectFrom('answers').select('id').execute();
  const given = await Promise.all(rows.map(({ id }) => answers.find(id)));
  const cards = markedMessages(workspace, questionEvent);
  const posts = bot.selectFrom('outbox').select('id').where('kind', '=', 'question');
  const removed = await posts.where('state', '=', 'done').where('ts', 'is', null).execute();
  const questions = await service.selectFrom('service_run_questions').selectAll().execute();
  const lostAnswers: string[] = [];
  const wrongAnswers: string[] = [];
  for (const { run_id: runId, question_id: id, answer_json: json } of questions) {
    const run = runs.find((each) => each.run_id === runId);
    const requestId = run?.metadata?.['request_id'] ?? runId;
    const taken = json === null ? undefined : takenSchema.parse(JSON.parse(json));
    const answer = given.find((each) => each?.given.questionId === id);
    if (!taken || answer?.outcome !== 'accepted') {
      lostAnswers.push(requestId);
      continue;
    }
    const words = taken.option_id ?? taken.text ?? '';
    const isSame = words === (answer.given.optionId ?? answer.given.text);
    const ofQuestion = cards.filter((card) => markOf(card, 'post') === answer.id);
    const says = JSON.stringify(ofQuestion[0]?.blocks ?? []);
    const isShown =
      ofQuestion.length === 1 &&
      says.includes(`${decisions[words] ?? 'Answered'} by <@${answer.answeredBy}>`) &&
      (words in decisions || says.includes(answer.given.text));
    // A card that couldn't be edited anymore was deleted.
    const isRemoved = ofQuestion.length === 0 && removed.some((post) => post.id === answer.id);
    const isPrinted = JSON.stringify(run).includes(words);
    if (!isSame || !(isShown || isRemoved) || !isPrinted) wrongAnswers.push(requestId);
  }
  for (const { run_id: runId, prompt, metadata } of runs) {
    const asked = questions.filter((each) => each.run_id === runId).length;
    const expected = prompt?.startsWith('ask ') ? questionsOfAgent : 0;
    if (asked !== expected) lostAnswers.push(metadata?.['request_id'] ?? runId);
  }
  return { answers: questions.length, lostAnswers, wrongAnswers };
}
