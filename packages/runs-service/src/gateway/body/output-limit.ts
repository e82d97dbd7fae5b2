import type { Flavor } from '../routes.ts';
import { type Member, MembersScanner } from './members-scanner.ts';

/** Members that limit the output tokens of a request. Gemini's is within another member. */
export const outputLimits: Record<Flavor, readonly string[]> = {
  messages: ['max_tokens'],
  responses: ['max_output_tokens'],
  chat: ['max_tokens', 'max_completion_tokens'],
  gemini: ['generationConfig', 'generation_config'],
};
const geminiLimits = ['maxOutputTokens', 'max_output_tokens'];

/**
 * Returns the limit that a request sets for its output tokens. Undefined if it sets none, or one that a provider could
 * read in another way.
 */
export function maxOutputTokensIn(flavor: Flavor, members: Iterable<Member>): number | undefined {
  const named = [...members].filter(({ key }) => outputLimits[flavor].includes(key));
  const values = (flavor === 'gemini' ? named.flatMap(limitsInside) : named).map(numberIn);
  const limits = values.filter((value) => value !== undefined);
  if (limits.length === 0 || limits.length < values.length) return undefined;
  return Math.max(...limits);
}

function limitsInside({ value }: Member): Member[] {
  const scanner = new MembersScanner({
    root: 'object',
    isWanted: (key) => geminiLimits.includes(key),
    maxValueBytes: 100,
  });
  scanner.push(value);
  const read = scanner.end();
  return 'members' in read ? read.members.filter(({ key }) => geminiLimits.includes(key)) : [];
}

function numberIn({ value }: Member): number | undefined {
  const json = value.toString().trim();
  return /^[1-9]\d{0,8}$/.test(json) ? Number(json) : undefined;
}
