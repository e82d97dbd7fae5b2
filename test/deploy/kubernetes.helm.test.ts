import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { whyInvalid } from '../../packages/runs-service/test/support/kubernetes/api/validation.ts';
import { kustomize } from '../../packages/runs-service/test/support/kubernetes/kubectl.ts';
import {
  documentsOf,
  isPublished,
  podOf,
} from '../../packages/runs-service/test/support/kubernetes/manifests.ts';

const folder = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

it('deploy/kubernetes is a kustomization', () => {
  const written = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => documentsOf(readFileSync(join(folder, name), 'utf8')))
    .filter(isPublished);
  const made = documentsOf(kustomize(folder));
  expect(made.map(({ kind }) => kind).toSorted()).toEqual(
    [...written.map(({ kind }) => kind), 'ConfigMap'].toSorted(),
  );
  expect(made.map(whyInvalid).filter((why) => why !== undefined)).toEqual([]);
  const images = made.flatMap((each) => podOf(each)?.containers.map(({ image }) => image) ?? []);
  expect(new Set(images)).toEqual(new Set(['registry.example.org/slash-agent:latest']));
});
