import type { Logger } from 'base/logger';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  type Repository,
  repositoryName,
  type ServiceEnvironment,
} from '../../environments/environments.ts';
import type { Checkouts } from '../git/checkout.ts';
import { GitError } from '../git/git.ts';

type Skill = {
  name: string;
  description: string;
  /** Text of the skill's file without the frontmatter. */
  basePrompt: string;
  /** Name of the repository, as `owner/repo`. */
  repository: string;
  path: string;
};

const frontmatterSchema = z.looseObject({ name: z.string(), description: z.string() }).partial();
const skillFile = /(?:^|\/)([^/]+)\/SKILL\.md$/i;
const maxSkills = 200;

/** Creates a reader of skills, which are files `…/<name>/SKILL.md` in the repositories of environments. */
export function createSkills({ checkouts, logger }: { checkouts: Checkouts; logger: Logger }) {
  async function skillsOf(repository: Repository, signal: AbortSignal): Promise<Skill[]> {
    const files = await checkouts.readFiles(
      repository,
      (path) => skillFile.test(path),
      maxSkills,
      signal,
    );
    const name = repositoryName(repository);
    return files.flatMap(({ path, content }) => {
      if (content !== undefined) return [readSkill(name, path, content)];
      logger.warn({ repository: name, path }, 'skipped a skill that is larger than 1 MiB');
      return [];
    });
  }

  async function skipUnreadable(repository: Repository, signal: AbortSignal) {
    try {
      return await skillsOf(repository, signal);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (signal.aborted) return [];
      const name = repositoryName(repository);
      logger.warn({ repository: name, reason: error.message }, 'cannot read skills');
      return [];
    }
  }

  return {
    /** Lists every skill with its environments. Logs and skips repositories that it can't read. */
    async listAll(environments: readonly ServiceEnvironment[], signal: AbortSignal) {
      const found = new Map<string, { skill: Skill; environments: ServiceEnvironment[] }>();
      for (const environment of environments) {
        for (const repository of environment.repositories) {
          for (const skill of await skipUnreadable(repository, signal)) {
            const id = skillId(skill);
            const entry = found.get(id) ?? { skill, environments: [] };
            entry.environments.push(environment);
            found.set(id, entry);
          }
        }
      }
      return [...found.values()].sort((a, b) => a.skill.name.localeCompare(b.skill.name));
    },

    /**
     * Finds a skill by `owner/repo:skill-name` or `owner/repo:path/to/SKILL.md`. Returns the IDs of all skills if there
     * is no such skill.
     */
    async find(
      environment: ServiceEnvironment,
      spec: string,
      signal: AbortSignal,
    ): Promise<{ skill: Skill } | { skillIds: string[] }> {
      const skills: Skill[] = [];
      for (const repository of environment.repositories)
        skills.push(...(await skillsOf(repository, signal)));
      const skill = skills.find((each) => isNamedBy(each, spec));
      return skill ? { skill } : { skillIds: skills.map(skillId) };
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
  const [, frontmatter = '', body = content] =
    /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(content) ?? [];
  const read = frontmatterSchema.safeParse(readYaml(frontmatter));
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
