import { maskSecrets, maskValues } from 'base/secrets/mask-secrets';
import type { AgentProgress, Question } from 'runs-client/contract';

export const masked = (text: string) => maskSecrets(text).text;

/** Masks metadata with their names, because a name can say that its value is a secret. */
export const maskMetadata = (metadata: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => {
      const before = `${name}: `;
      const shown = masked(before + value);
      return [name, shown.startsWith(before) ? shown.slice(before.length) : masked(value)];
    }),
  );

/** Masks progress, because everything that an agent wrote can repeat a key. */
export const maskProgress = ({ question, ...progress }: AgentProgress): AgentProgress => ({
  ...maskValues(progress, masked),
  ...(question && { question: maskQuestion(question) }),
});

/** Masks the question but not the IDs of its options, because answers need them. */
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
