import { Ajv } from 'ajv';
import { readSharedJson } from '../../packages/slack-stand-in/test/support/shared-data.ts';

/**
 * Validates a manifest against Slack's published schema. Needs the shared data. The schema lacks `rich_previews`, which
 * the manifests of Slack's own sample apps have.
 */
export function slackManifestProblems(manifest: unknown): readonly unknown[] {
  const { rich_previews: _, ...features } = Object(manifest).features;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const version of ['1.0.0', '2.0.0']) {
    const file = `schemas/manifest.schema.${version}.json`;
    const schema = readSharedJson(`slack/manifest-schema/${file}`) as object;
    ajv.addSchema(
      schema,
      `https://raw.githubusercontent.com/slackapi/manifest-schema/v0.5.0/${file}`,
    );
  }
  const validate = ajv.compile(
    readSharedJson('slack/manifest-schema/manifest.schema.json') as object,
  );
  validate({ ...Object(manifest), features });
  return validate.errors ?? [];
}
