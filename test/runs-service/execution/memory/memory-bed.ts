import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServiceEnvironment } from '../../../../src/runs-service/environments/environments.ts';
import { type StartedService, shellEnvironment } from '../../../support/runs-service.ts';

/** An agent with sessions: it repeats what it heard in the session that it continues. */
const script = `
echo '{"type":"system","subtype":"init","session_id":"session-1"}'
case "$1" in
  --resume=*) cat "$HOME/.agent/\${1#--resume=}" || { echo "No such session"; exit 1; };;
  *) rm -rf "$HOME/.agent";;
esac
mkdir -p "$HOME/.agent"; printf "heard: " >> "$HOME/.agent/session-1"; cat >> "$HOME/.agent/session-1"
echo >> "$HOME/.agent/session-1"; echo "at $PWD"`;

export const agent = (more: Partial<ServiceEnvironment> = {}, extra = 'true') =>
  shellEnvironment('true', {
    command: ['sh', '-c', `${script}; ${extra}`, 'agent', ['--resume={session}']],
    ...more,
  });

export const outputOf = (service: StartedService, id: string) =>
  readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');

/** Runs a prompt. @returns what the agent printed, and its conversation */
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
