import { z } from 'zod';
import type { QuestionStore, RunStore } from '../../execution/run-store.ts';
import { answerAnswerSchema, askAnswerSchema, followupAnswerSchema } from '../protocol/report.ts';
import type { Reporter } from './reporter.ts';
import type { ServiceLink } from './service-link.ts';

const answerWaitMs = 10_000;

type Tools = Pick<
  RunStore,
  'takeFollowup' | 'note' | 'saveUsage' | 'saveProgress' | 'announceProgress' | 'questions'
>;

/** What the steps of a run tell and ask the service. */
export function toolsOverHttp(link: ServiceLink, reporter: Reporter): Tools {
  return {
    async takeFollowup(_runId, after, signal) {
      const call = { method: 'POST' as const, path: '/followup', body: { after }, signal };
      try {
        return (await link.call({ ...call, answer: followupAnswerSchema })).followup;
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
    note: async (_runId, text) => reporter.note(text),
    saveUsage: async (_runId, usage) => reporter.usage(usage),
    saveProgress: async (_runId, progress) => reporter.setProgress(progress),
    announceProgress: async (_runId, usage) => reporter.announce(usage),
    questions: questionsOverHttp(link),
  };
}

function questionsOverHttp(link: ServiceLink): QuestionStore {
  const expiry = new Map<string, number>();
  const pathOf = (id: string) => `/questions/${encodeURIComponent(id)}`;
  /** A run that ends has no answer. */
  async function unlessEnded<T>(signal: AbortSignal, work: () => Promise<T>, otherwise: T) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return otherwise;
      throw error;
    }
  }
  return {
    ask: (_runId, question, signal) =>
      unlessEnded(
        signal,
        async () => {
          expiry.set(question.id, Date.parse(question.expires_at ?? ''));
          const call = { method: 'POST' as const, path: '/questions', body: { question }, signal };
          return (await link.call({ ...call, answer: askAnswerSchema })).asked;
        },
        false,
      ),

    answerOf: (_runId, questionId, signal) =>
      unlessEnded(
        signal,
        async () => {
          const leftMs = (expiry.get(questionId) ?? 0) - Date.now();
          const waitMs = Math.max(0, Math.min(answerWaitMs, leftMs));
          const path = `${pathOf(questionId)}?wait_ms=${Math.round(waitMs)}`;
          const call = { method: 'GET' as const, path, answer: answerAnswerSchema };
          const { closed, answer } = await link.call({ ...call, waitMs, signal });
          return closed ? (answer ?? null) : undefined;
        },
        undefined,
      ),

    close: (_runId, questionId, note, signal) =>
      unlessEnded(
        signal,
        async () => {
          const call = { method: 'POST' as const, path: `${pathOf(questionId)}/close` };
          await link.call({ ...call, body: { note }, answer: z.object({}), signal });
        },
        undefined,
      ),
  };
}
