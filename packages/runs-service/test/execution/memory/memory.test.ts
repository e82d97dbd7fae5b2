import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pruneMemories } from '../../../src/execution/memory/conversation-memory.ts';
import { createConversations } from '../../../src/store/kept-conversations.ts';
import { createRuns } from '../../../src/store/runs.ts';
import { useDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { agent, ask, outputOf } from './memory-bed.ts';

describe('the memory of a conversation', () => {
  const db = useDatabase();
  const notesOf = async (id: string) =>
    (await createRuns(db()).changesOf(id)).map(({ note }) => note).join('\n');
  const kept = (dataDir: string) => {
    const folder = join(dataDir, 'conversations');
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };

  it('reaches its next runs, also after a restart, and they work at the same place', async () => {
    const options = { environments: [agent()], db: db(), dataDir: temporaryFolder() };
    const first = await startRunsService(options);
    const one = await ask(first, 'pelican');
    await first.service.stop();
    const second = await startRunsService(options);
    const two = await ask(second, 'heron', one.conversation);
    expect(two.output).toContain('heard: pelican');
    expect(two.place).toBe(one.place);
    expect(await notesOf(two.id)).toContain("Continued with the agent's memory");
    const other = await ask(second, 'x');
    expect(other.output).not.toContain('heard');
    expect(other.place).not.toBe(one.place);
  });

  it('reaches follow-ups', async () => {
    const go = join(temporaryFolder(), 'go');
    const environment = agent({}, `until [ -e ${go} ]; do sleep 0.05; done`);
    const service = await startRunsService({ environments: [environment] });
    const id = await service.begin({ prompt: 'pelican' });
    const answer = await service.request(`/agent/runs/${id}/followups`, {
      method: 'POST',
      body: JSON.stringify({ message: 'heron' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.ok).toBe(true);
    writeFileSync(go, '');
    await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(outputOf(service, id)).toContain('heard: pelican');
  });

  it('is encrypted, and unreadable memory means a fresh start that says so', async () => {
    const service = await startRunsService({ environments: [agent()], db: db() });
    const one = await ask(service, 'pelican');
    const [file = ''] = kept(service.dataDir);
    const bytes = readFileSync(file);
    expect(bytes.includes('pelican')).toBe(false);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const two = await ask(service, 'heron', one.conversation);
    expect(two.output).not.toContain('pelican');
    expect(await notesOf(two.id)).toContain('the agent starts without its memory');
    const three = await ask(service, 'stork', one.conversation);
    expect(three.output).toContain('heard: heron');
    expect(kept(service.dataDir)).toHaveLength(1);
  });

  it('belongs to one run at a time', async () => {
    const go = join(temporaryFolder(), 'go');
    const wait = `[ -e ${go}.first ] || { touch ${go}.first; exit; }; until [ -e ${go} ]; do sleep 0.05; done`;
    const service = await startRunsService({ environments: [agent({}, wait)], db: db() });
    const { conversation: conversation_id } = await ask(service, 'pelican');
    const two = await service.begin({ prompt: 'heron', conversation_id });
    await expect.poll(() => notesOf(two)).toContain('Continued with');
    const three = await service.begin({ prompt: 'stork', conversation_id });
    await expect.poll(() => notesOf(three)).toContain('without its memory');
    writeFileSync(go, '');
    for (const id of [two, three])
      expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(outputOf(service, three)).not.toContain('heard');
    const four = await ask(service, 'crane', conversation_id);
    expect(four.output).toContain('heard: pelican\nheard: heron');
  });

  it('is replaced by the conversation as text if the agent lost its session', async () => {
    const sessions = '.claude/projects/p';
    const forget = `cd "$HOME/${sessions}"; mv session-1.jsonl other.jsonl`;
    const forgetful = agent({ harness: 'claude' }, forget, sessions);
    const service = await startRunsService({ environments: [forgetful], db: db() });
    const one = await ask(service, 'pelican');
    forgetful.command = agent({}, 'true', sessions).command;
    const two = await ask(service, 'heron', one.conversation);
    expect(await notesOf(two.id)).toContain('The agent failed in its earlier session');
    expect(await notesOf(two.id)).toContain('with the earlier conversation as text');
    const three = await ask(service, 'stork', one.conversation);
    expect(three.output).toMatch(/<user>\npelican\n<\/user>[\s\S]*heron/);
  });

  it('is in a file for scripts, whose prompt stays as it is', async () => {
    const environment = shellEnvironment(
      'cat; [ -z "$AGENT_CONVERSATION_FILE" ] || cat "$AGENT_CONVERSATION_FILE"',
    );
    const service = await startRunsService({ environments: [environment] });
    const one = await ask(service, 'pelican\n');
    const two = await ask(service, 'heron\n', one.conversation);
    expect(two.output).toMatch(/^heron\n[\s\S]*<user>\npelican/);
  });

  it('brings back no settings and prompts of an earlier run, even if the agent rewrote them', async () => {
    const rewrite =
      'for file in "$CODEX_HOME/config.toml" "$AGENT_PROMPT_FILE" "$AGENT_BASE_PROMPT_FILE"; do cat "$file"; cp "$file" new; mv new "$file"; done';
    const codex = agent(
      { harness: 'codex' },
      `${rewrite}; mkdir -p "$CODEX_HOME/sessions"; touch "$CODEX_HOME/sessions/1.jsonl"`,
    );
    const service = await startRunsService({ environments: [codex] });
    const run = async (bird: string, conversation_id?: string | null) => {
      const config = {
        base_prompt: `Be a ${bird}.`,
        mcp_servers: { [bird]: { url: 'https://a.example' } },
      };
      const more = conversation_id ? { conversation_id } : {};
      const id = await service.begin({ prompt: `prompt of a ${bird}`, config, ...more });
      const ended = await service.until(id, 'SUCCEEDED', 'FAILED');
      return { conversation: ended.conversation_id, output: outputOf(service, id) };
    };
    const one = await run('pelican');
    const two = await run('heron', one.conversation);
    const printed = two.output.split(/^at .*$/m)[1];
    expect(printed).toContain('Be a heron.');
    expect(printed).toContain('[mcp_servers.heron]');
    expect(printed).toContain('prompt of a heron');
    expect(printed).not.toContain('pelican');
  });

  it('brings nothing that a shell, git or the agent obeys to the run of the next person', async () => {
    const obeyed = ['.profile', '.gitconfig', '.claude/settings.json', '.claude/hooks/pre.sh'];
    const plant = `cd "$HOME" && mkdir -p .claude/hooks .claude/projects/p && touch ${obeyed.join(' ')} .claude/projects/p/1.jsonl`;
    const claude = agent({ harness: 'claude' }, `find "$HOME" -type f; ${plant}`);
    const service = await startRunsService({ environments: [claude] });
    const one = await ask(service, 'pelican');
    const two = await ask(service, 'heron', one.conversation);
    const found = two.output.split('\n').filter((line) => line.startsWith('/'));
    const session = [expect.stringMatching(/\/home\/\.claude\/projects\/p\/1\.jsonl$/)];
    expect(found.filter((line) => !line.includes('/.agent/'))).toEqual(session);
  });

  it('is deleted after its days, and not kept with none', async () => {
    const environments = [
      agent({ conversation_days: 2 }),
      agent({ id: 'none', conversation_days: 0 }),
    ];
    const service = await startRunsService({ environments, db: db() });
    const config = { environment_id: 'none' };
    const id = await service.begin({ prompt: 'x', config });
    await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(kept(service.dataDir)).toEqual([]);
    const begun = await service.begin({ prompt: 'x', config: { environment_id: 'shell' } });
    await service.until(begun, 'SUCCEEDED', 'FAILED');
    const [file = ''] = kept(service.dataDir);
    const conversations = createConversations(db());
    const options = {
      folder: join(service.dataDir, 'conversations'),
      conversations,
      environments: () => environments,
    };
    expect(await pruneMemories(options)).toBe(0);
    const dayMs = 24 * 60 * 60_000;
    await db()
      .updateTable('service_conversations')
      .set({ saved_at: Date.now() - 2 * dayMs })
      .execute();
    utimesSync(file, new Date(0), new Date(0));
    expect(await pruneMemories(options)).toBeGreaterThan(0);
    expect(await conversations.list()).toEqual([]);
    expect(kept(service.dataDir)).toEqual([]);
  });
});
