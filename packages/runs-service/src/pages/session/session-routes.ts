import { open } from 'node:fs/promises';
import type { Logger } from 'base/logger';
import { maskSecrets, maskValues } from 'base/secrets/mask-secrets';
import { type Context, Hono } from 'hono';
import {
  type AgentProgress,
  agentConfigSchema,
  isTerminalState,
  type Question,
} from 'runs-client/contract';
import { streamEvents } from '../../api/event-stream.ts';
import { createStreamLimit } from '../../api/feed/stream-limit.ts';
import { presentRun, withoutKeys } from '../../api/runs/present-run.ts';
import type { ProgressReader } from '../../api/runs/progress-reader.ts';
import { repositoryName, type ServiceEnvironment } from '../../environments/environments.ts';
import type { ProgressStore } from '../../store/progress-store.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import type { Markup } from '../markup.ts';
import { pageHeaders } from '../page-headers.ts';
import type { Session } from './session.ts';
import { createSessionAnswers, type SessionAnswersOptions } from './session-answers.ts';
import {
  createSessionDownloads,
  isMaskable,
  type SessionDownloadsOptions,
} from './session-downloads.ts';
import { followSession } from './session-live.ts';
import { readSessionPatch } from './session-patch.ts';
import { sessionPage } from './session-view.ts';
import { progressView } from './views/progress-view.ts';

type SessionRoutesOptions = SessionDownloadsOptions &
  Omit<SessionAnswersOptions, 'show'> & {
    runs: Runs;
    progress: ProgressStore;
    readProgress: ProgressReader;
    followupsOf: (runId: string) => Promise<string[]>;
    environments: () => readonly ServiceEnvironment[];
    /** For people who see its runs. */
    warningOf: (environment: ServiceEnvironment) => string | undefined;
    /** This process's name in the store. */
    owner: string;
    /** When transcripts are deleted. */
    transcriptAgeMs: number;
    /** Aborts when the service stops, which ends live pages. */
    stopping: AbortSignal;
    logger: Logger;
  };

/** With more, a browser gets slow. The raw log has everything. */
const maxOutputBytes = 512 * 1024;

/** Live pages. */
const streamLimit = {
  each: 20,
  inTotal: 500,
  refusal: 'Too many people watch this service live. Reload the page to see the current state.',
};

/** The page of `session_link`. Its token is 32 random bytes. */
export function createSessionRoutes(options: SessionRoutesOptions): Hono {
  const { runs, files, stopping, findRun } = options;
  const streams = createStreamLimit(streamLimit);
  const app = new Hono();
  app.use('/session/*', pageHeaders("connect-src 'self'; form-action 'self'"));

  const show = async (context: Context, run: StoredRun, problem?: string): Promise<Markup> => {
    const session = await readSession(options, run);
    const { question } = session.progress;
    const asked = question
      ? { question, answerer: await options.answererOf(context, run) }
      : undefined;
    return sessionPage({ ...session, asked, problem });
  };

  app.route('/', createSessionAnswers({ ...options, show }));
  app.get('/session/:token', async (context) =>
    context.html(await show(context, await findRun(context))),
  );

  app.get('/session/:token/events', async (context) => {
    const run = await findRun(context);
    // Hono answers HEAD with the headers of GET, and would leave the stream open.
    if (context.req.method === 'HEAD') return context.body(null);
    const from = Number(context.req.header('last-event-id') ?? context.req.query('from') ?? 0);
    streams.enter(run.session_token);
    const readChanged = liveProgress(options.progress, run.id);
    const texts = (gone: AbortSignal) =>
      followSession({
        outputFile: files.outputFile(run.id),
        from: Number.isSafeInteger(from) && from >= 0 ? from : 0,
        version: Number(context.req.query('version')),
        signal: AbortSignal.any([gone, stopping]),
        poll: async () => {
          const [now, progress] = await Promise.all([runs.get(run.id), readChanged()]);
          return (
            now && { updatedAt: now.updated_at, ended: isTerminalState(now.state), ...progress }
          );
        },
      });
    const onEnd = () => streams.leave(run.session_token);
    return streamEvents(context, { texts, onEnd, logger: options.logger });
  });

  app.route('/', createSessionDownloads(options));
  return app;
}

async function readSession(
  options: SessionRoutesOptions,
  run: StoredRun,
): Promise<Omit<Session, 'asked'>> {
  const { runs, files, environments } = options;
  const environment = environments().find(({ id }) => id === run.environment_id);
  const [changes, followups, output, patch, progress, artifacts] = await Promise.all([
    runs.changesOf(run.id),
    options.followupsOf(run.id),
    readEnd(files.outputFile(run.id), !isTerminalState(run.state)),
    readSessionPatch(files, run.id),
    options.readProgress.of(run),
    options.artifacts.ofRuns([run.id]),
  ]);
  // As in Slack: what looks like a key isn't shown to everyone who has the link. The output is already masked.
  const presented = presentRun(run, { reader: undefined, sessionLink: '' });
  return {
    run: { ...maskValues(presented, masked), metadata: maskMetadata(presented.metadata ?? {}) },
    config: maskValues(withoutKeys(agentConfigSchema.parse(JSON.parse(run.config_json))), masked),
    changes: maskValues(changes, masked),
    followups: followups.map(masked),
    progress: progress ? maskProgress(progress) : {},
    repositories: environment?.repositories.map(repositoryName) ?? [],
    network: environment?.network_note,
    isolationWarning: environment && options.warningOf(environment),
    output: output.text,
    outputEnd: output.end,
    patch,
    files: (artifacts.get(run.id) ?? []).flatMap(({ uid, data: { file } }) =>
      file ? [{ uid, path: masked(file.path), bytes: file.bytes, isMasked: isMaskable(file) }] : [],
    ),
    missing: output.found ? undefined : whyMissing(options, run),
    ended: isTerminalState(run.state),
    address: run.session_token,
  };
}

const masked = (text: string) => maskSecrets(text).text;

/** A name can say that its value is a secret. */
const maskMetadata = (metadata: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => {
      const before = `${name}: `;
      const shown = masked(before + value);
      return [name, shown.startsWith(before) ? shown.slice(before.length) : masked(value)];
    }),
  );

/** Everything that an agent wrote can repeat a key. */
const maskProgress = ({ question, ...progress }: AgentProgress): AgentProgress => ({
  ...maskValues(progress, masked),
  ...(question && { question: maskQuestion(question) }),
});

/** Answers name an option by its id. */
const maskQuestion = (question: Question): Question => ({
  ...maskValues(question, masked),
  fields: question.fields?.map(({ label, description, options, ...field }) => ({
    ...field,
    label: masked(label),
    description: description && masked(description),
    options: options?.map((each) => ({ ...each, label: masked(each.label) })),
  })),
  options: question.options.map(({ label, ...option }) => ({ ...option, label: masked(label) })),
});

/** The HTML of what has changed since the last call. */
function liveProgress(store: ProgressStore, runId: string) {
  let seen: number | undefined;
  return async (): Promise<{ progress?: string }> => {
    const [found] = await store.listOf([runId]);
    if (!found || found.changed_at === seen) return {};
    seen = found.changed_at;
    return {
      progress: String(await progressView(maskProgress(JSON.parse(found.progress_json)), false)),
    };
  };
}

function whyMissing({ owner, transcriptAgeMs }: SessionRoutesOptions, run: StoredRun) {
  if (run.started_at === null) return undefined;
  if (!isTerminalState(run.state)) return run.lease_owner === owner ? undefined : 'elsewhere';
  return Date.now() - run.updated_at > transcriptAgeMs ? 'pruned' : 'elsewhere';
}

/** The last part of a file, in whole lines while it grows. */
async function readEnd(
  path: string,
  isGrowing: boolean,
): Promise<{ text: string; end: number; found: boolean }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { text: '', end: 0, found: false };
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - maxOutputBytes);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - start),
      0,
      size - start,
      start,
    );
    const read = buffer.subarray(0, bytesRead);
    // Skips a partial first line. An unfinished last line comes live, once it ends.
    const from = start === 0 ? 0 : read.indexOf(0x0a) + 1;
    const to = isGrowing ? read.lastIndexOf(0x0a) + 1 : read.length;
    const text = read.subarray(from, Math.max(from, to)).toString('utf8');
    return { text, end: start + Math.max(from, to), found: true };
  } finally {
    await file.close();
  }
}
