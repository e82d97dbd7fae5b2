import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { quarantineFolder } from 'runs-service/sandbox/deletion/trash';
import { describe, expect, it } from 'vitest';
import { testCluster } from '../../packages/runs-service/test/support/kubernetes/runner.ts';
import { checkSpace } from '../../src/doctor/machine-checks.ts';
import { type ProblemName, problems } from '../../src/doctor/problems.ts';
import { describeFindings, findingsAsJson, isHealthy, isNote } from '../../src/doctor/report.ts';
import { type DoctorContext, runDiagnostics } from '../../src/doctor/run-diagnostics.ts';
import { createOutbox } from '../../src/store/outbox/outbox.ts';
import { type Bed, embedded, emptyPath, serve, startSurroundings } from './doctor-bed.ts';

const weekMs = 7 * 24 * 60 * 60_000;
const nowhere = 'http://127.0.0.1:9';

const having = ({ world }: Bed, variables: DoctorContext['variables']): DoctorContext => ({
  ...world,
  variables: { ...world.variables, ...variables },
});

const answering = (status: number, body: object) =>
  serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

/** Returns a context with this problem, for each problem. */
const planted: Record<ProblemName, (bed: Bed) => DoctorContext | Promise<DoctorContext>> = {
  'node-too-old': ({ world }) => ({ ...world, nodeVersion: '20.18.3' }),
  'env-file-open': ({ world }) => {
    writeFileSync(world.envFile, '');
    chmodSync(world.envFile, 0o640);
    return world;
  },
  'folder-not-writable': (bed) => {
    writeFileSync(join(bed.folder, 'file'), '');
    return having(bed, { DATABASE_URL: `sqlite:${join(bed.folder, 'file', 'bot.db')}` });
  },
  // Healthy here, because no test fills a disk. A separate test calls the check itself.
  'disk-nearly-full': ({ world }) => world,
  'undeleted-folders': (bed) => {
    mkdirSync(join(quarantineFolder(join(bed.folder, 'data')), 'run'), { recursive: true });
    return embedded(bed, {});
  },
  'settings-wrong': (bed) => having(bed, { SLACK_BOT_TOKEN: 'xoxp-other' }),
  'key-missing': (bed) =>
    having(bed, { ENCRYPTION_KEY: undefined, DATA_DIR: join(bed.folder, 'none') }),
  'database-unreachable': (bed) => having(bed, { DATABASE_URL: 'postgres://127.0.0.1:9/bot' }),
  'database-outdated': async (bed) => {
    await sql`delete from bot_migrations`.execute(bed.db);
    return bed.world;
  },
  'database-newer': async (bed) => {
    await sql`insert into bot_migrations (name, timestamp) values ('999-new', 'x')`.execute(bed.db);
    return bed.world;
  },
  'key-wrong': (bed) => having(bed, { ENCRYPTION_KEY: randomBytes(32).toString('base64') }),
  'other-workspace': async (bed) => {
    await bed.db.updateTable('workspaces').set({ team_id: 'T0OTHER' }).execute();
    return bed.world;
  },
  'no-deliveries': async (bed) => {
    await bed.db
      .updateTable('workspaces')
      .set({ delivered_at: Date.now() - 2 * weekMs })
      .execute();
    return bed.world;
  },
  'outbox-stuck': async (bed) => {
    const post = { id: 'one', kind: 'upload', teamId: bed.teamId, requestId: null, content: {} };
    await createOutbox(bed.db).plan([{ ...post, dueAt: Date.now() }]);
    await bed.db
      .updateTable('outbox')
      .set({ created_at: Date.now() - weekMs })
      .execute();
    return bed.world;
  },
  'inbox-stuck': async (bed) => {
    const at = Date.now() - weekMs;
    await sql`insert into inbox (id, kind, team_id, received_at, due_at, content_json)
      values ('one', 'mention', ${bed.teamId}, ${at}, ${at}, 'x')`.execute(bed.db);
    return bed.world;
  },
  'slack-unreachable': (bed) => having(bed, { SLACK_API_URL: `${nowhere}/api/` }),
  'slack-url-wrong': async (bed) =>
    having(bed, { SLACK_API_URL: `${await answering(404, {})}/api/` }),
  'bot-token-rejected': (bed) => having(bed, { SLACK_BOT_TOKEN: 'xoxb-other' }),
  'scopes-missing': ({ world: { scopes, ...world } }) => ({
    ...world,
    scopes: { ...scopes, required: [...scopes.required, 'users:read.email'] },
  }),
  'optional-scopes-missing': ({ world: { scopes, ...world } }) => ({
    ...world,
    scopes: { ...scopes, optional: [...scopes.optional, 'users:read.email'] },
  }),
  // Healthy here, because test/doctor/organization-token.test.ts covers organizations.
  'no-workspaces': ({ world }) => world,
  'app-token-rejected': (bed) => having(bed, { SLACK_APP_TOKEN: 'xapp-other' }),
  'public-url-unreachable': (bed) =>
    having(bed, {
      SLACK_BOT_TOKEN: undefined,
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'secret-of-the-slack-app',
      PUBLIC_URL: 'https://127.0.0.1:9',
    }),
  'clock-wrong': ({ world }) => ({ ...world, now: () => Date.now() + 15 * 60_000 }),
  'runs-api-unreachable': (bed) => having(bed, { RUNS_API_URL: `${nowhere}/api/v1` }),
  'runs-api-wrong-url': async (bed) =>
    having(bed, { RUNS_API_URL: `${await answering(404, {})}/api/v1` }),
  'runs-api-key-rejected': (bed) => having(bed, { RUNS_API_KEY: 'another-key' }),
  'no-environments': async (bed) =>
    having(bed, { RUNS_API_URL: `${await answering(200, { environments: [] })}/api/v1` }),
  'environment-problem': async (bed) => {
    const broken = { uid: 'web', config: { name: 'Web' }, problem: '"claude" is not installed' };
    const url = await answering(200, { environments: [broken] });
    return having(bed, { RUNS_API_URL: `${url}/api/v1` });
  },
  'policy-file-wrong': (bed) => {
    const file = join(bed.folder, 'policy.yml');
    writeFileSync(file, 'rules:\n  - name: a\n    strat: false\n');
    return having(bed, { POLICY_FILE: file });
  },
  // Healthy here, because only `/agent doctor` finds it. test/journeys/doctor.test.ts covers it.
  'connection-fails': ({ world }) => world,
  'environments-file-wrong': (bed) => embedded(bed, { isolation: 'paper' }),
  'git-missing': (bed) => {
    const world = embedded(bed, {});
    return { ...world, variables: { ...world.variables, PATH: emptyPath(bed) } };
  },
  'environment-broken': (bed) => embedded(bed, { command: ['no-such-agent'] }),
  'cluster-rejects-runs': async (bed) => {
    const few = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] }];
    const { kubeconfig } = await testCluster({ hasKubelet: false, rights: few });
    const pods = { runner: 'kubernetes' as const, kubernetes: { image: 'slash-agent:test' } };
    const world = embedded(bed, { isolation: 'external', ...pods });
    return { ...world, variables: { ...world.variables, KUBECONFIG: kubeconfig } };
  },
  'service-is-root': (bed) => {
    const { variables, ...world } = embedded(bed, {});
    return { ...world, variables: { ...variables, RUNS_SERVICE_ALLOW_ROOT: 'false' }, userId: 0 };
  },
  'secret-file-unreadable': (bed) =>
    embedded(bed, { secret_files: { API_KEY: join(bed.folder, 'no-such-file') } }),
  'agent-has-model-key': (bed) => {
    const key = join(bed.folder, 'key');
    writeFileSync(key, 'sk-secret');
    return embedded(bed, { secret_files: { ANTHROPIC_API_KEY: key } });
  },
  'repository-unreachable': (bed) =>
    embedded(bed, { repositories: [{ url: join(bed.folder, 'no-such-repository') }] }),
};

describe('the doctor', () => {
  it('finds nothing in a healthy world, with a remote and with an embedded runs service', async () => {
    const bed = await (await startSurroundings())();
    expect(await runDiagnostics(bed.world)).toEqual([]);
    expect(await runDiagnostics(embedded(bed, {}))).toEqual([]);
  });

  it('finds each problem by its name, and nothing else', async () => {
    const healthyWorld = await startSurroundings();
    const elsewhere: ProblemName[] = ['disk-nearly-full', 'connection-fails', 'no-workspaces'];
    const names = (Object.keys(planted) as ProblemName[]).filter(
      (name) => !elsewhere.includes(name),
    );
    for (const name of names) {
      const bed = await healthyWorld();
      const findings = await runDiagnostics(await planted[name](bed));
      expect(findings.map(({ problem }) => problem)).toEqual([name]);
      const text = describeFindings(findings);
      expect(text).toContain(problems[name].remedy);
      for (const secret of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'RUNS_API_KEY', 'ENCRYPTION_KEY'])
        expect(text).not.toContain(bed.world.variables[secret]);
      if (isNote({ problem: name })) continue;
      expect(JSON.parse(findingsAsJson(findings))).toMatchObject({
        ok: false,
        problems: [{ name }],
      });
    }
  });

  it('reports missing optional scopes as a note, not as a problem', async () => {
    const bed = await (await startSurroundings())();
    const findings = await runDiagnostics(await planted['optional-scopes-missing'](bed));
    expect(isHealthy(findings)).toBe(true);
    expect(describeFindings(findings)).toMatch(
      /^No problems found\.\n\nNote: optional-scopes-missing/,
    );
    const notes = [{ name: 'optional-scopes-missing' }];
    expect(JSON.parse(findingsAsJson(findings))).toMatchObject({ ok: true, problems: [], notes });
  });

  it('finds disk-nearly-full before nothing can be written', () => {
    const found = checkSpace('/data', { bavail: 1_000, bsize: 4_096 });
    expect(found).toEqual([{ problem: 'disk-nearly-full', detail: '/data has 4 MB left.' }]);
    expect(checkSpace('/data', { bavail: 1_000_000, bsize: 4_096 })).toEqual([]);
  });
});
