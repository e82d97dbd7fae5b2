import { Ajv, type ValidateFunction } from 'ajv';
import { readSharedJson } from '../../packages/slack-stand-in/test/support/shared-data.ts';

const folder = 'slack/manifest-schema';

function compile(): ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const version of ['1.0.0', '2.0.0']) {
    const file = `schemas/manifest.schema.${version}.json`;
    ajv.addSchema(
      readSharedJson(`${folder}/${file}`) as object,
      `https://raw.githubusercontent.com/slackapi/manifest-schema/v0.5.0/${file}`,
    );
  }
  return ajv.compile(readSharedJson(`${folder}/manifest.schema.json`) as object);
}

/** Compiled once, because that takes a second. */
let validate: ValidateFunction | undefined;

/**
 * Validates a manifest against Slack's published schema. Needs the shared data. The schema lacks `rich_previews`, which
 * the manifests of Slack's own sample apps have.
 */
export function slackManifestProblems(manifest: unknown): readonly unknown[] {
  const { rich_previews: _, ...features } = Object(manifest).features;
  validate ??= compile();
  validate({ ...Object(manifest), features });
  return validate.errors ?? [];
}
