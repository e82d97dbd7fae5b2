import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aHome } from '../block-kit/fragments.ts';
import { callOk } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const channel = 'C04ENGINEER';

describe('the state file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  // Hooks after a test run in reverse order, so workspaces stop before their folder is deleted.
  const { startWorkspace } = useWorkspace();

  const start = () => startWorkspace({ stateFile: join(folder, 'state.json'), retryDelaysMs: [] });

  it('keeps messages, reactions, Home tabs and tokens across restarts', async () => {
    const first = await start();
    const { ts } = await callOk(first, 'chat.postMessage', { channel, text: 'still here' });
    await callOk(first, 'reactions.add', { channel, timestamp: ts, name: 'eyes' });
    await callOk(first, 'views.publish', { user_id: 'U04ADALOVEL', view: aHome });
    const { message } = await first.as('grace').types(channel, 'me too');
    await first.stop();

    const second = await start();
    expect(second.botToken).toBe(first.botToken);
    expect(second.messagesIn(channel)).toEqual(first.messagesIn(channel));
    expect(second.messagesIn(channel)).toHaveLength(2);
    expect(second.as('ada').home()).toMatchObject({ type: 'home' });
    const next = await callOk(second, 'chat.postMessage', { channel, text: 'later' });
    expect(String(next['ts']) > String(message?.ts)).toBe(true);
  });

  it('leaves no temporary file', async () => {
    const workspace = await start();
    await callOk(workspace, 'chat.postMessage', { channel, text: 'x' });
    await workspace.stop();
    expect(await readdir(folder)).toEqual(['state.json']);
    JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));
  });

  it.each(['no json', '{"version":2}'])('is not overwritten if it contains %s', async (text) => {
    await writeFile(join(folder, 'state.json'), text);
    await expect(start()).rejects.toThrow(/state\.json .* move it away/);
    expect(await readFile(join(folder, 'state.json'), 'utf8')).toBe(text);
  });
});
