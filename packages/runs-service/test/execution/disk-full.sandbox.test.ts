import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fill, mountSmallDisk } from '../../../base/test/support/small-disk.ts';
import { openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

describe('a full disk', () => {
  it('of the data folder fails the run with a message, and the service keeps working', async () => {
    const disk = mountSmallDisk(8_192);
    const service = await startRunsService({
      environments: [
        shellEnvironment(
          `case "$AGENT_PROMPT" in fill) cat /dev/zero > big; echo "$?";; esac; yes | head -c 300000`,
        ),
      ],
      dataDir: join(disk, 'data'),
    });
    const outcome = async (prompt: string) => {
      const id = await service.begin({ prompt });
      return service.until(id, 'SUCCEEDED', 'FAILED');
    };
    expect((await outcome('small')).state).toBe('SUCCEEDED');
    const first = await outcome('fill');
    expect(first.state).toBe('FAILED');
    expect(first.status_message?.message).toMatch(/disk of the runs service is full/i);
    expect(first.status_message?.retryable).toBe(true);
    expect(readdirSync(join(disk, 'data', 'work'))).toEqual([]);
    const filler = fill(disk);
    const second = await outcome('small');
    expect(second.state).toBe('FAILED');
    expect(second.status_message?.message).toMatch(/disk of the runs service is full/i);
    expect((await service.request('/agent/runs')).status).toBe(200);
    rmSync(filler);
    expect((await outcome('small')).state).toBe('SUCCEEDED');
  });

  it('of the database delays the ends of runs, but loses none', async () => {
    const disk = mountSmallDisk(4_096);
    const db = await openTestDatabase(`sqlite:${join(disk, 'service.db')}`);
    onTestFinished(() => db.destroy());
    const go = join(temporaryFolder(), 'go');
    const service = await startRunsService({
      environments: [
        shellEnvironment(`echo begun; until [ -e ${go} ]; do sleep 0.05; done; echo done`),
      ],
      db,
    });
    const id = await service.begin({ prompt: 'x' });
    await service.until(id, 'INPROGRESS');
    const output = () =>
      readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
    await expect.poll(output).toContain('begun');
    const filler = fill(disk);
    // The WAL can still have room for some writes.
    const rejected = async () => (await service.create({ prompt: 'y' })).status;
    await expect.poll(rejected).toBe(500);
    writeFileSync(go, '');
    await expect.poll(output).toContain('done');
    expect((await service.request('/agent/runs')).status).toBe(200);
    expect((await service.get(id)).state).toBe('INPROGRESS');
    rmSync(filler);
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  });
});
