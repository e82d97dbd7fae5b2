import { parse } from 'yaml';
import { z } from 'zod';
import type { Logger } from '../../lib/logger.ts';
import {
  type Repository,
  repositoryName,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import type { Checkouts } from './git/checkout.ts';
import { GitError } from './git/git.ts';

export type Skill = {
  name: string;
  description: string;
  /** What the agent is told: the file without its head. */
  basePrompt: string;
  /** `owner/repo` */
  repository: string;
  path: string;
};

const headSchema = z.looseObject({ name: z.string(), description: z.string() }).partial();
const skillFile = /(?:^|\/)([^/]+)\/SKILL\.md$/i;
const maxSkills = 200;

/** Skills are files `…/<name>/SKILL.md` in the repositories of an environment. */
export function createSkills({ checkouts, logger }: { checkouts: Checkouts; logger: Logger }) {
  async function skillsOf(repository: Repository, signal: AbortSignal): Promise<Skill[]> {
    const files = await checkouts.readFiles(
      repository,
      (path) => skillFile.test(path),
      maxSkills,
      signal,
    );
    return files.map(({ path, content }) => readSkill(repositoryName(repository), path, content));
  }

  return {
    /** Every skill with the environments that have it; a repository that cannot be had is left out and logged. */
    async listAll(environments: readonly ServiceEnvironment[], signal: AbortSignal) {
      const found = new Map<string, { skill: Skill; environments: ServiceEnvironment[] }>();
      for (const environment of environments) {
        for (const repository of environment.repositories) {
          for (const skill of await orNone(skillsOf(repository, signal), repository, logger)) {
            const id = skillId(skill);
            const entry = found.get(id) ?? { skill, environments: [] };
            entry.environments.push(environment);
            found.set(id, entry);
          }
        }
      }
      return [...found.values()].sort((a, b) => a.skill.name.localeCompare(b.skill.name));
    },

    /** The skill that `owner/repo:skill-name` or `owner/repo:path/to/SKILL.md` names, or what there is instead. */
    async find(
      environment: ServiceEnvironment,
      spec: string,
      signal: AbortSignal,
    ): Promise<{ skill: Skill } | { known: string[] }> {
      const skills: Skill[] = [];
      for (const repository of environment.repositories)
        skills.push(...(await skillsOf(repository, signal)));
      const skill = skills.find((each) => isNamedBy(each, spec));
      return skill ? { skill } : { known: skills.map(skillId) };
    },
  };
}
export type Skills = ReturnType<typeof createSkills>;

export const skillId = ({ repository, path }: Skill) => `${repository}:${path}`;

export function isNamedBy(skill: Skill, spec: string): boolean {
  const at = spec.indexOf(':');
  const wanted = spec.slice(at + 1);
  if (spec.slice(0, Math.max(0, at)).toLowerCase() !== skill.repository.toLowerCase()) return false;
  return wanted === skill.path || wanted === skill.name || wanted === folderOf(skill.path);
}

const folderOf = (path: string) => skillFile.exec(path)?.[1] ?? path;

export function readSkill(repository: string, path: string, content: string): Skill {
  const [, head = '', body = content] = /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(content) ?? [];
  const read = headSchema.safeParse(readYaml(head));
  const { name, description } = read.success ? read.data : {};
  return {
    name: name ?? folderOf(path),
    description: description ?? '',
    basePrompt: body.trim(),
    repository,
    path,
  };
}

function readYaml(text: string): unknown {
  try {
    return parse(text) ?? {};
  } catch {
    return {};
  }
}

async function orNone(
  skills: Promise<Skill[]>,
  repository: Repository,
  logger: Logger,
): Promise<Skill[]> {
  try {
    return await skills;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const name = repositoryName(repository);
    logger.warn({ repository: name, why: error.message }, 'skills could not be read');
    return [];
  }
}
