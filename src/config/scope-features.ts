/** What is off without each optional scope of manifest.yml, as people read it in the doctor and the log. */
const features: Readonly<Record<string, string>> = {};

export const featureOf = (scope: string): string => features[scope] ?? `what needs ${scope}`;
