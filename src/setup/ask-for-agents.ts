import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Environment } from 'base/config/environment';
import { sendsKeyInClear } from 'runs-client/base-url';
import { defaultPath } from 'runs-service/execution/files/run-files';
import { whyUnreachable } from 'runs-service/execution/git/reach-repository';
import { describeFinding } from '../doctor/report.ts';
import { checkRunsApi } from '../doctor/runs-api-checks.ts';
import { agents, environmentsFile } from './agents.ts';
import { askUntil } from './ask-until.ts';
import { replacing, type SettingChanges } from './env-file.ts';
import type { Prompts } from './prompts.ts';

/** An environments file to write. The path of the key file is relative to the folder of the environments file. */
export type NewEnvironments = {
  file: string;
  text: string;
  key?: { file: string; value: string } | undefined;
};

type AgentsDeps = { prompts: Prompts; known: Environment; folder: string };

type Answered = { settings: SettingChanges; environments?: NewEnvironments | undefined };

/** Asks where runs execute: on the embedded runs service or on a remote one. */
export async function askForAgents(deps: AgentsDeps): Promise<Answered> {
  const { prompts, known } = deps;
  const place = await askChoice(
    prompts,
    'Where do agents run?',
    ['On this machine, in a sandbox', 'On a remote runs service'],
    known['RUNS_API_URL'] ? 2 : 1,
  );
  return place === 1 ? await askForEnvironment(deps) : await askForService(deps);
}

async function askForService({ prompts, known }: AgentsDeps): Promise<Answered> {
  const allowHttp = known['RUNS_API_ALLOW_HTTP'] === 'true';
  const baseUrl = await askUntil(prompts, {
    text: 'Base URL of the runs service (https://…/api/v1)',
    known: known['RUNS_API_URL'],
    check(url) {
      if (!URL.canParse(url) || !/\/api\/v1\/?$/.test(url)) return 'It must end in /api/v1.';
      return sendsKeyInClear(url) && !allowHttp
        ? 'It must be an https URL. To send the key unencrypted, set RUNS_API_ALLOW_HTTP=true first.'
        : undefined;
    },
  });
  const apiKey = await askUntil(prompts, {
    text: 'API key',
    known: known['RUNS_API_KEY'],
    isSecret: true,
    async check(key) {
      const found = await checkRunsApi({ baseUrl, apiKey: key, allowHttp });
      const wrong = found.find(({ problem }) => problem.startsWith('runs-api-'));
      return wrong && describeFinding(wrong);
    },
  });
  const settings = {
    RUNS_API_URL: baseUrl,
    ...replacing(known, 'RUNS_API_KEY', apiKey),
    RUNS_SERVICE: undefined,
  };
  return { settings };
}

async function askForEnvironment({ prompts, known, folder }: AgentsDeps): Promise<Answered> {
  const file = known['RUNS_SERVICE_ENVIRONMENTS'] ?? './environments.yml';
  const settings = {
    RUNS_SERVICE: 'embedded',
    RUNS_SERVICE_ENVIRONMENTS: file,
    // Remove these settings, because they would make the bot use a remote service.
    RUNS_API_URL: undefined,
    RUNS_API_KEY: undefined,
    RUNS_API_KEY_FILE: undefined,
  };
  const path = resolve(folder, file);
  if (existsSync(path)) {
    prompts.print(`${path} isn't changed.\n`);
    return { settings };
  }
  const home = dirname(path);
  const repository = await askUntil(prompts, {
    text: 'Repository (a URL that git clones, or a folder)',
    check: (url) => whyUnreachable(url, { path: known['PATH'] ?? defaultPath, cwd: home }),
  });
  const names = [...agents.map(({ name }) => name), 'A shell command, without a language model'];
  const agent = agents[(await askChoice(prompts, 'Which agent?', names, 1)) - 1];
  if (!agent) {
    const command = await askUntil(prompts, {
      text: 'Command. The prompt is in $AGENT_PROMPT',
      known: 'git ls-files | wc -l',
      check: () => undefined,
    });
    return { settings, environments: { file, text: environmentsFile(repository, { command }) } };
  }
  const text = environmentsFile(repository, agent);
  prompts.print(`If it isn't installed: npm install --global ${agent.package}\n`);
  const { company, keyFile } = agent.provider;
  if (existsSync(resolve(home, keyFile))) {
    prompts.print(`Its key in ${keyFile} isn't changed.\n`);
    return { settings, environments: { file, text } };
  }
  const value = await askUntil(prompts, {
    text: `API key of ${company}, which is saved in ${keyFile}`,
    isSecret: true,
    check: () => undefined,
  });
  return { settings, environments: { file, text, key: { file: keyFile, value } } };
}

/** Returns the number of the chosen line, starting at 1. */
async function askChoice(
  prompts: Prompts,
  question: string,
  lines: readonly string[],
  defaultNumber: number,
): Promise<number> {
  prompts.print(`${question}\n${lines.map((line, at) => `  ${at + 1}  ${line}`).join('\n')}\n`);
  const answer = await askUntil(prompts, {
    text: 'Number',
    known: String(defaultNumber),
    check: (given) =>
      /^\d+$/.test(given) && lines[Number(given) - 1] !== undefined
        ? undefined
        : `Type a number from 1 to ${lines.length}.`,
  });
  return Number(answer);
}
