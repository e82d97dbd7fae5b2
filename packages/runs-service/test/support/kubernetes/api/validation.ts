import * as client from '@kubernetes/client-node';
import * as apps from 'kubernetes-models/apps/v1';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as rbac from 'kubernetes-models/rbac.authorization.k8s.io/v1';
import * as core from 'kubernetes-models/v1';
import type { ClusterObject } from './object-store.ts';

/** Validators that are generated from Kubernetes' published OpenAPI. They allow unknown fields. */
const kinds = { ...core, ...batch, ...apps, ...networking, ...policy, ...rbac };

type Attributes = { baseName: string; type: string }[];

const typed = client as unknown as Record<string, { getAttributeTypeMap?: () => Attributes }>;

/** Returns the reason why the API rejects an object, or undefined if it's valid. */
export function whyInvalid(object: ClusterObject): string | undefined {
  const kind = kinds[object.kind as keyof typeof kinds];
  try {
    // @ts-expect-error: whether the object fits is the question.
    new kind(object).validate();
  } catch (error) {
    return (error as Error).message;
  }
  const [unknown] = unknownFields(object, `V1${object.kind}`, '');
  if (unknown !== undefined && object.kind !== 'Event')
    return `strict decoding error: unknown field "${unknown}"`;
  return whyBadName(object) ?? (object.kind === 'Job' ? whyBadJob(object) : undefined);
}

/** Returns the paths of fields that the published API's own client doesn't know. */
function unknownFields(value: unknown, type: string, path: string): string[] {
  const [, element] = /^Array<(.*)>$/.exec(type) ?? [];
  if (element !== undefined && Array.isArray(value))
    return value.flatMap((each, index) => unknownFields(each, element, `${path}[${index}]`));
  const attributes = typed[type]?.getAttributeTypeMap?.();
  if (!attributes || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const place = path === '' ? name : `${path}.${name}`;
    const attribute = attributes.find(({ baseName }) => baseName === name);
    return attribute ? unknownFields(child, attribute.type, place) : [place];
  });
}

const dnsName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const labelName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function whyBadName({ kind, metadata, spec }: ClusterObject): string | undefined {
  const { name, labels = {} } = metadata;
  // Job names are shorter, because they become label values of pods.
  const longest = kind === 'Job' ? 63 : 253;
  if (!dnsName.test(name) || name.length > longest)
    return `metadata.name: Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`;
  const template = (spec?.['template'] ?? {}) as { metadata?: { labels?: typeof labels } };
  for (const [key, value] of Object.entries({ ...labels, ...template.metadata?.labels }))
    if (value.length > 63 || !labelValue.test(value) || !labelName.test(key))
      return `metadata.labels: Invalid value: "${key}: ${value}": a valid label must be an empty string or consist of alphanumeric characters`;
  return undefined;
}

type PodSpec = NonNullable<ReturnType<typeof podSpecOf>>;
const podSpecOf = (job: ClusterObject) => (job.spec as client.V1JobSpec | undefined)?.template.spec;

/** Checks the rules that aren't in the published API. */
function whyBadJob(job: ClusterObject): string | undefined {
  const spec = podSpecOf(job);
  if (!spec) return 'spec.template.spec: Required value';
  if (spec.restartPolicy !== 'Never' && spec.restartPolicy !== 'OnFailure')
    return `spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`;
  return whyBadVolumes(spec);
}

function whyBadVolumes({ volumes = [], containers }: PodSpec): string | undefined {
  const names = volumes.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `spec.template.spec.volumes: Duplicate value: "${twice}"`;
  const all = containers.map(({ name }) => name);
  if (new Set(all).size < all.length) return 'spec.template.spec.containers: Duplicate value';
  for (const { volumeMounts = [], image } of containers) {
    if (image === undefined) return 'spec.template.spec.containers[0].image: Required value';
    const paths = volumeMounts.map(({ mountPath }) => mountPath);
    if (new Set(paths).size < paths.length)
      return 'spec.template.spec.containers[0].volumeMounts: Invalid value: must be unique';
    const missing = volumeMounts.find(({ name }) => !names.includes(name));
    if (missing)
      return `spec.template.spec.containers[0].volumeMounts[0].name: Not found: "${missing.name}"`;
  }
  return undefined;
}
