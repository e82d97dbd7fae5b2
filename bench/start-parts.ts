import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const files = 4_000;
const fileBytes = 12_500;

/** Returns made-up text, the same each time. It compresses about as well as code. */
function createWriter() {
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const word = () => (next(60_000_000) + 1_000).toString(36).slice(0, 3 + next(4));
  const words = Array.from({ length: 5_000 }, word);
  return () => {
    let text = '';
    while (text.length < fileBytes)
      text += `${Array.from({ length: 10 }, () => words[next(words.length)]).join(' ')}\n`;
    return text;
  };
}

/** Creates a git repository with 4,000 files of 12.5 KB in 200 folders. */
export function writeRepository(folder: string): string {
  const write = createWriter();
  for (let number = 0; number < files; number += 1) {
    const file = join(folder, `part-${number % 20}`, `room-${number % 200}`, `${number}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, write());
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@localhost', ...args], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  git('gc', '--quiet');
  return folder;
}

/** Follows a session page's events to the end of the run. All times are by this machine's clock. */
export async function firstOutputOf(sessionLink: string) {
  const seen = { startedAt: 0, saidAt: 0, visibleAt: 0 };
  const events = await fetch(`${sessionLink}/events?from=0`);
  if (!events.ok || !events.body) throw new Error(`${events.status} ${await events.text()}`);
  let text = '';
  for await (const chunk of events.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    seen.saidAt = Number(/said (\d+)/.exec(text)?.[1] ?? 0);
    if (seen.saidAt > 0 && seen.visibleAt === 0) seen.visibleAt = Date.now();
  }
  seen.startedAt = Number(/(?<!said )\b(\d{13})/.exec(text)?.[1]);
  if (!seen.startedAt || !seen.saidAt) throw new Error(`the agent said: ${text}`);
  return seen;
}
