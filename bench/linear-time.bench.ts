/**
 * Fails if a long untrusted text takes more time than in proportion to its length: `npm run bench -- linear-time [part of a
 * name]`. See README.md.
 */
import { readPatch } from 'base/read-patch';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { readSkill } from 'runs-service/execution/files/skills';
import { withoutCredentials } from 'runs-service/execution/git/git';
import { lastLines } from 'runs-service/execution/output/last-lines';
import { createLineMask } from 'runs-service/execution/output/output-streams';
import { outputParts } from 'runs-service/pages/session/output-view';
import { sessionPage } from 'runs-service/pages/session/session-view';
import { parseAgentCommand } from '../src/slack/agent-command/parse-agent-command.ts';
import { withoutKeys } from '../src/slack/configuration/without-secrets.ts';
import { agentMarkdown } from '../src/slack/text/agent-markdown.ts';
import { code, firstLine } from '../src/slack/text/escape-text.ts';
import { messageText } from '../src/slack/text/message-text.ts';
import { readTypedText } from '../src/slack/text/typed-text.ts';

/** Functions that search for patterns in untrusted text. */
const readers: [name: string, read: (text: string) => unknown][] = [
  ['credentials in addresses', withoutCredentials],
  ['secrets', maskSecrets],
  ['secrets in an output', (text) => createLineMask().push(Buffer.from(text))],
  ['keys in addresses', withoutKeys],
  ['the last lines of an output', (text) => lastLines(text, { lines: 3, characters: 100 })],
  ['an output', outputParts],
  ['the head of a patch', (text) => readPatch(`diff --git ${text}`)],
  ['a patch', (text) => readPatch(`diff --git a/x b/x\n${text}`)],
  ['a session page', (text) => String(sessionPage(aSession(text)))],
  ['a skill', (text) => readSkill('o/r', 'a/SKILL.md', `---\n${text}`)],
  ['a command', parseAgentCommand],
  ['the prompt of a command', (text) => parseAgentCommand(`run ${text}`)],
  ['a title', (text) => code(text, text.length)],
  ['a first line', firstLine],
  ["an agent's answer", (text) => agentMarkdown(text, answerRoom, '')],
  ['typed text', (text) => readTypedText(text)],
  ['a message', (text) => messageText({ ts: '1', text, blocks: [mrkdwn(text)] })],
];

const answerRoom = { characters: 12_000, blocks: 50 };

const mrkdwn = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

function aSession(text: string): Parameters<typeof sessionPage>[0] {
  const time = new Date(0).toISOString();
  const state = 'SUCCEEDED';
  return {
    run: {
      run_id: 'r',
      state,
      title: text,
      prompt: text,
      created_at: time,
      updated_at: time,
      metadata: { text },
    },
    creator: text,
    calls: { newest: [], count: 0, cost: '' },
    transcriptDays: 30,
    progress: progressWith(text),
    openQuestion: { question: { id: 'q', text, details: text, options: [] }, answerer: 'unknown' },
    config: { name: text, mcp_servers: { command: { command: text }, url: { url: text } } },
    changes: [],
    followups: [text],
    repositories: [text],
    network: text,
    isolationWarning: text,
    files: [{ uid: 'f', path: text, bytes: 0, isMasked: true }],
    patch: { text, bytes: 0, masked: 0, isLonger: false, isIncomplete: false },
    output: text,
    outputEnd: 0,
    ended: true,
    address: 'a',
  };
}

const progressWith = (text: string) => ({ answer: text, plan: [{ title: text, state: text }] });

/** Parts of patterns, to repeat many times. A slow pattern starts a match at each place. */
const pieces = [
  ...['a', 'A', '0', 'a-', 'a.', '_', ' ', '\n', '\r', '\r\n', '/', '://', 'a://', '@', '?', '#'],
  ...['<', '<@', '<a|', '"', "'", '\\', '`', '=', '{"a":"', '&', '*', '-- ', ' --dry-run', ' b/'],
  ...['password ', 'password=', 'authorization: ', 'cookie: ', 'bearer ', 'curl -u ', 'mysql -a '],
  ...[
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    'PuTTY-User-Key-File-1:',
    'eyJaaaaaaaa.',
    'sk-',
  ],
  ...['\u001b', '\u001b[0', '\u001b]', '\u001b[m', '@@ -1 +1 @@', '---\n', '\u{1f600}'],
];
/** A mismatch at the very end makes a pattern backtrack. */
const ends = ['', '\n', '\u2028', ' !'];

const characters = 1_250;
const factor = 32;
/** Largest accepted growth. Linear work grows by 32, quadratic work by a thousand. */
const mostGrowth = 6 * factor;
/** Shortest time to compare, in ms, because shorter ones are noise. */
const noiseMs = 0.5;
const attempts = 5;

/** Returns this process's CPU time, because other processes may keep the machine busy. */
function workMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the growth of work with the long text, best of several. Compilation or garbage collection spoils one attempt. */
function leastGrowth(short: () => void, long: () => void): number {
  let [shortMs, longMs] = [noiseMs, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < attempts && longMs >= mostGrowth * shortMs; attempt += 1) {
    shortMs = Math.max(shortMs, workMs(short));
    longMs = Math.min(longMs, workMs(long));
  }
  return longMs / shortMs;
}

/** Finds the text with the most growth, or the first one with too much. */
function slowest(read: (text: string) => unknown): { growth: number; text: string } {
  let most = { growth: 0, text: '' };
  for (const piece of pieces)
    for (const end of ends) {
      const grown = (times: number) => piece.repeat((times * characters) / piece.length) + end;
      const [short, long] = [grown(1), grown(factor)];
      const growth = leastGrowth(
        () => read(short),
        () => read(long),
      );
      if (growth > most.growth) most = { growth, text: JSON.stringify([piece, end]) };
      if (growth >= mostGrowth) return most;
    }
  return most;
}

const wanted = process.argv[2] ?? '';
for (const [name, read] of readers.filter(([each]) => each.includes(wanted))) {
  const { growth, text } = slowest(read);
  const isLinear = growth < mostGrowth;
  if (!isLinear) process.exitCode = 1;
  const verdict = isLinear ? 'linear  ' : 'TOO SLOW';
  process.stdout.write(`${verdict} ${growth.toFixed(0).padStart(4)} times  ${name}: ${text}\n`);
}
