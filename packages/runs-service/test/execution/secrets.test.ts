import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/execution/output/redactor.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

function through(secrets: string[], chunks: string[]): string {
  const redactor = createRedactor(secrets);
  const shown = chunks.map((chunk) => redactor.push(Buffer.from(chunk)));
  return Buffer.concat([...shown, redactor.flush()]).toString('utf8');
}

describe('secrets', () => {
  const cases: [name: string, secrets: string[], chunks: string[], shown: string][] = [
    ['none', [], ['a', 'b'], 'ab'],
    ['in one part', ['hunter2'], ['my hunter2!'], 'my [secret]!'],
    ['across parts', ['hunter2'], ['my hun', 'ter', '2!'], 'my [secret]!'],
    ['at the end', ['hunter2'], ['hunter2'], '[secret]'],
    [
      'one within another',
      ['hunter', 'hunter2-long'],
      ['hunter2-long hunter'],
      '[secret] [secret]',
    ],
    ['beyond ASCII', ['pässwörd'], ['x pässw', 'örd y €'], 'x [secret] y €'],
    ['as a JSON string', ['hun"ter\n2'], ['{"a":"hun\\"ter\\n2"}'], '{"a":"[secret]"}'],
    ['too short to hide', ['abc'], ['abc'], 'abc'],
    [
      'of several lines, each long line separately',
      ['-----BEGIN KEY-----\nline-of-key-1234\n}\n'],
      ['+-----BEGIN KEY-----\n+line-of-key-1234\n+}\n'],
      '+[secret]\n+[secret]\n+}\n',
    ],
    ['only a part', ['hunter2'], ['hunter'], 'hunter'],
  ];
  it.each(cases)('%s', (_name, secrets, chunks, shown) => {
    expect(through(secrets, chunks)).toBe(shown);
    expect(through(secrets, [chunks.join('')])).toBe(shown);
  });

  it('from files reach the agent but are never shown', async () => {
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, 'hunter2-hunter2\n');
    const service = await startRunsService({
      environments: [
        shellEnvironment('echo "token: $TOKEN" | tee -a notes.txt; echo "bad $TOKEN" >&2; exit 1', {
          secret_files: { TOKEN: file },
        }),
      ],
    });
    const id = await service.begin({ prompt: 'x' });
    const run = await service.until(id, 'FAILED', 'SUCCEEDED');
    expect(run.status_message?.message).toContain('bad [secret]');
    const transcript = join(service.dataDir, 'transcripts', id);
    for (const name of ['output.log', 'changes.patch']) {
      const content = readFileSync(join(transcript, name), 'utf8');
      expect(content).toContain('token: [secret]');
      expect(content).not.toContain('hunter2');
    }
  });

  it('that are long do not delay output', async () => {
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, 'x'.repeat(4_000));
    const script = 'echo one; until [ -e ../../go ]; do sleep 0.02; done';
    const environment = shellEnvironment(script, { secret_files: { TOKEN: file } });
    const service = await startRunsService({ environments: [environment] });
    const id = await service.begin({ prompt: 'x' });
    await service.until(id, 'INPROGRESS');
    const output = join(service.dataDir, 'transcripts', id, 'output.log');
    await expect.poll(() => readFileSync(output, 'utf8')).toBe('one\n');
    writeFileSync(join(service.dataDir, 'work', id, 'go'), '');
    await service.until(id, 'SUCCEEDED');
  });

  it('of MCP servers are masked in output and changes', async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment('cat "$AGENT_MCP_CONFIG_FILE" | tee -a notes.txt', { mcp: 'any' }),
      ],
    });
    const mcp_servers = {
      far: { url: 'https://x.test', headers: { Authorization: 'Bearer hunter2-of-header' } },
      near: { command: 'x', env: { KEY: 'hunter2-of-env' } },
    };
    const id = await service.begin({ prompt: 'x', config: { mcp_servers } });
    expect((await service.until(id, 'FAILED', 'SUCCEEDED')).state).toBe('SUCCEEDED');
    for (const name of ['output.log', 'changes.patch']) {
      const content = readFileSync(join(service.dataDir, 'transcripts', id, name), 'utf8');
      expect(content).toContain('[secret]');
      expect(content).not.toContain('hunter2');
    }
  });

  it('without their file fail the run, with the name of the secret', async () => {
    const secret_files = { TOKEN: '/gone/token' };
    const service = await startRunsService({
      environments: [shellEnvironment('true', { secret_files })],
    });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'FAILED', 'SUCCEEDED');
    expect(run.status_message?.message).toContain('secret TOKEN');
    expect(run.status_message?.error_code).toBe('environment_setup_failed');
  });
});
