import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { type StartedService, shellEnvironment } from '../../support/runs-service.ts';

/** Agent with sessions. It prints all prompts of the session that it continues. */
const script = (folder: string) => `
echo '{"type":"system","subtype":"init","session_id":"session-1"}'; cd "$HOME"
case "$1" in
  --resume=*) cat "${folder}/\${1#--resume=}.jsonl" || { echo "No such session"; exit 1; };;
  *) rm -rf "${folder}";;
esac
mkdir -p "${folder}"; printf "heard: " >> "${folder}/session-1.jsonl"; cat >> "${folder}/session-1.jsonl"
echo >> "${folder}/session-1.jsonl"; cd "$OLDPWD"; echo "at $PWD"`;

/** @param folder folder of its sessions, below its home */
export const agent = (more: Partial<ServiceEnvironment> = {}, extra = 'true', folder = '.agent') =>
  shellEnvironment('true', {
    command: ['sh', '-c', `${script(folder)}; ${extra}`, 'agent', ['--resume={session}']],
    keep: [folder],
    ...more,
  });

export const outputOf = (service: StartedService, id: string) =>
  readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');

/** Runs a prompt. @returns the agent's output and its conversation */
export async function ask(
  service: StartedService,
  prompt: string,
  conversation_id?: string | null,
) {
  const id = await service.begin({ prompt, ...(conversation_id && { conversation_id }) });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  expect(run.state, run.status_message?.message).toBe('SUCCEEDED');
  const output = outputOf(service, id);
  return { id, output, place: /^at (.*)$/m.exec(output)?.[1], conversation: run.conversation_id };
}
