import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { ContentStore } from '../../artifacts/content-store.ts';
import type { SaveArtifactsOptions } from '../../artifacts/save-artifacts.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { type Conversations, memoryId } from '../../store/kept-conversations.ts';
import { finishedFileSchema } from '../protocol/report.ts';
import type { Work } from '../protocol/work.ts';
import { type ServiceLink, storeMs } from './service-link.ts';

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

/** Contents of artifacts, which the service keeps. They are sealed before they leave. */
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

/** What agents remember of the conversation. The service keeps the file and its key. */
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

/** The changes that the run starts with, where the executor looks for them. Undefined without any. */
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
  // An incomplete patch is never applied; only that there is one matters.
  if (!whole) await writeFile(file, '', { mode: 0o600 });
  else if (bytes > 0 && !(await link.fetchFile('earlier-patch', file, bytes)))
    note(`Started without the changes of run ${id.slice(0, 8)}, because the service lost them`);
  return { id, environment_id };
}
