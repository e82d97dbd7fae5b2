import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { ContentStore } from '../../artifacts/content-store.ts';
import type { SaveArtifactsOptions } from '../../artifacts/save-artifacts.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import type { QuestionStore, RunStore } from '../../execution/run-store.ts';
import { type Conversations, memoryId } from '../../store/kept-conversations.ts';
import {
  answerAnswerSchema,
  askAnswerSchema,
  finishedFileSchema,
  followupAnswerSchema,
  type Work,
} from '../protocol.ts';
import type { Reporter } from './reporter.ts';
import { type ServiceLink, storeMs } from './service-link.ts';

const answerWaitMs = 10_000;

type Tools = Pick<
  RunStore,
  'takeFollowup' | 'note' | 'saveUsage' | 'saveProgress' | 'announceProgress' | 'questions'
>;

/** Creates the store that the steps of a run use. It sends every call over the link to the service. */
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
  /**
   * Returns the result of the work. If the run has ended, returns `otherwise` instead of failing, because nobody waits
   * for the answer.
   */
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

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size;

/** Sends the saved changes of a run. */
export async function sendChanges(link: ServiceLink, files: RunFiles, runId: string) {
  const [patch, incomplete] = [files.patchFile(runId), files.incompletePatchFile(runId)];
  const whole = await sizeOf(patch);
  if (whole !== undefined) {
    const bases = JSON.parse(await readFile(files.basesFile(runId), 'utf8')) as unknown;
    const about = finishedFileSchema.parse({ bytes: whole, bases });
    return link.sendFile('patch', patch, about);
  }
  const part = await sizeOf(incomplete);
  if (part !== undefined) await link.sendFile('incomplete-patch', incomplete, { bytes: part });
}

/**
 * Creates the store for contents of artifacts. The service keeps the contents, which are encrypted before they're
 * sent.
 */
export const contentsOverHttp = (link: ServiceLink): ContentStore => ({
  async put(name, file) {
    await link.sendFile(`content-${name}`, file, { bytes: (await sizeOf(file)) ?? 0 });
    await rm(file);
  },
  read: async () => undefined,
  delete: async () => undefined,
});

export const artifactsOverHttp =
  (link: ServiceLink): SaveArtifactsOptions['replace'] =>
  async (_runId, rows) => {
    const artifacts = rows.map(({ artifactType, data }) => ({ artifactType, data }));
    const call = { method: 'POST' as const, path: '/artifacts', body: { artifacts } };
    await link.call({ ...call, answer: z.object({}), waitMs: storeMs });
  };

const fetchedMemory = 'fetched';

/** Creates the store for the conversation's memory. The service keeps the file and its key. */
export async function conversationsOverHttp(
  link: ServiceLink,
  { run, environment, memory: { kept } }: Work,
  files: RunFiles,
): Promise<Pick<Conversations, 'get' | 'save'>> {
  const file = (name: string) => join(files.conversationsDir, name);
  if (kept?.bytes !== undefined) await link.fetchFile('memory', file(fetchedMemory), kept.bytes);
  const id = memoryId(run.conversation_id, environment.id);
  return {
    get: async () =>
      kept && {
        id,
        environment_id: environment.id,
        file_name: fetchedMemory,
        work_name: kept.work_name,
        session_id: kept.session_id,
        file_key: kept.file_key,
        saved_at: kept.saved_at,
      },
    async save({ file_name: name, file_key, session_id }) {
      const bytes = (await sizeOf(file(name))) ?? 0;
      await link.sendFile('memory', file(name), { bytes, file_key, session_id });
    },
  };
}

/**
 * Fetches the changes of the conversation's previous run, and writes them where the executor reads them. Returns
 * undefined if there are none.
 */
export async function fetchEarlierChanges(
  link: ServiceLink,
  { earlier_changes: changes }: Work,
  files: RunFiles,
  note: (text: string) => void,
) {
  if (!changes) return undefined;
  const { run_id: id, environment_id, whole, bytes } = changes;
  const file = whole ? files.patchFile(id) : files.incompletePatchFile(id);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Create an empty file for an incomplete patch, because the executor only checks that the file exists.
  if (!whole) await writeFile(file, '', { mode: 0o600 });
  else if (bytes > 0 && !(await link.fetchFile('earlier-patch', file, bytes)))
    note(`Started without the changes of run ${id.slice(0, 8)}, because the service lost them`);
  return { id, environment_id };
}
