import { join } from 'node:path';
import { readableLine } from 'base/readable-text';
import type { AgentPrompt } from '../../harnesses/harness.ts';
import type { NewRun } from '../run-context.ts';
import type { RunStore } from '../run-store.ts';

/** Attached files in the form that the agent gets. `prompt` lists them, unless the agent is a script. */
type AttachedFiles = {
  variables: Record<string, string>;
  prompt: string;
  images: NonNullable<AgentPrompt['images']>;
};

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Writes the files that are attached to a run to its work folder, where the agent can read them. */
export async function writeAttachedFiles(
  store: RunStore,
  { run, environment, folder, signal }: NewRun,
): Promise<AttachedFiles> {
  const attachments = await store.attachmentsOf(run.id, signal);
  if (attachments.length === 0) return { variables: {}, prompt: run.prompt, images: [] };
  const names: string[] = [];
  const paths: string[] = [];
  for (const { file_name, data } of attachments) {
    const name = fileName(file_name, names);
    names.push(name);
    paths.push(`- ${await folder.write(`attachments/${name}`, Buffer.from(data, 'base64'))}`);
  }
  const list = ['Files that came with this request:', ...paths].join('\n');
  await store.note(run.id, `Got ${names.length === 1 ? 'a file' : 'files'}: ${names.join(', ')}`);
  return {
    variables: { AGENT_ATTACHMENTS_DIR: join(folder.inside, 'attachments') },
    prompt: environment.harness === undefined ? run.prompt : `${run.prompt}\n\n${list}`,
    images: attachments
      .filter(({ mime_type: type }) => imageTypes.includes(type))
      .map(({ mime_type: mimeType, data }) => ({ mimeType, data })),
  };
}

/**
 * Returns a file name that is safe in a path and in a line of text, and isn't in `others`. Shortens a long name at its
 * start, because the end has the extension.
 */
function fileName(original: string, others: readonly string[]): string {
  const safe = readableLine(original).replace(/[/\\]/g, '_').replace(/^\.+/, '_');
  const name = [...safe].slice(-maxNameCharacters).join('') || 'file';
  const candidates = [name, ...others.map((_, index) => `${index + 2}-${name}`)];
  return candidates.find((each) => !others.includes(each)) ?? name;
}

/** Max length of a file name, in characters. Linux allows 255 bytes, and a character can have four. */
const maxNameCharacters = 60;
