import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The text of a file of the repository. */
export const readText = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

/** How one of the shipped files runs the gateway. */
export interface Deployment {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Directories that outlive the process. */
  readonly volumes: readonly string[];
  /** How long the gateway may take to stop before it is killed. */
  readonly graceSeconds: number;
}

/** The arguments of all instructions of a kind in the Dockerfile. */
export const instructions = (kind: string): string[] =>
  readText('Dockerfile')
    .split('\n')
    .filter((line) => line.startsWith(`${kind} `))
    .map((line) => line.slice(kind.length + 1));

const pairs = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2)));

const imageEnvironment = pairs(instructions('ENV').flatMap((line) => line.split(' ')));

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly stop_grace_period: string;
}

/** What an operator writes into `.env` beside compose.yaml. */
export const DOT_ENV: Readonly<Record<string, string>> = {
  DOMAIN: 'gateway.example.com',
  POSTGRES_PASSWORD: 'a-password',
  REDIS_PASSWORD: 'another-password',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

const interpolate = (text: string): string =>
  text.replace(/\$\{(\w+):\?\}/g, (_, name: string) => DOT_ENV[name] ?? `$${name}`);

function readCompose(): Deployment {
  const { services } = parse(interpolate(readText('compose.yaml'))) as {
    services: { gateway: ComposeService };
  };
  const { environment, volumes, stop_grace_period } = services.gateway;
  return {
    name: 'compose.yaml',
    environment: { ...imageEnvironment, ...environment },
    volumes: volumes.map((volume) => `${volume.split(':')[1]}`),
    graceSeconds: Number.parseInt(stop_grace_period, 10),
  };
}

/** The values of a key of the systemd unit. */
export const unitValues = (key: string): string[] =>
  readText('deploy/systemd/tool-gateway.service')
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));

function readUnit(): Deployment {
  return {
    name: 'tool-gateway.service',
    environment: pairs(unitValues('Environment')),
    volumes: unitValues('StateDirectory').map((name) => `/var/lib/${name}`),
    graceSeconds: Number(unitValues('TimeoutStopSec')[0]),
  };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** What the tests read of the Kubernetes objects, by their kind. */
interface KubernetesObjects {
  readonly ConfigMap: { readonly data: Readonly<Record<string, string>> };
  readonly StatefulSet: {
    readonly spec: {
      readonly template: {
        readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
        readonly spec: {
          readonly terminationGracePeriodSeconds: number;
          readonly containers: readonly [Container];
          readonly volumes: readonly { readonly name: string }[];
        };
      };
      readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
    };
  };
  readonly Service: {
    readonly spec: { readonly ports: readonly { readonly targetPort: string }[] };
  };
  readonly Ingress: {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  };
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

export const kubernetes = Object.fromEntries(
  parseAllDocuments(readText('deploy/kubernetes/gateway.yaml'))
    .map((document) => document.toJS() as { kind: string })
    .map((object) => [object.kind, object]),
) as unknown as KubernetesObjects;

const { template, volumeClaimTemplates } = kubernetes.StatefulSet.spec;

/** The container of the gateway in Kubernetes. */
export const container = template.spec.containers[0];

function readKubernetes(): Deployment {
  const claimed = volumeClaimTemplates.map(({ metadata }) => metadata.name);
  return {
    name: 'kubernetes/gateway.yaml',
    environment: { ...imageEnvironment, ...kubernetes.ConfigMap.data },
    volumes: container.volumeMounts
      .filter(({ name }) => claimed.includes(name))
      .map(({ mountPath }) => mountPath),
    graceSeconds:
      template.spec.terminationGracePeriodSeconds - container.lifecycle.preStop.sleep.seconds,
  };
}

/** The image alone: `docker stop` waits for 10 seconds unless told otherwise, so it promises nothing. */
const image: Deployment = {
  name: 'Dockerfile',
  environment: imageEnvironment,
  volumes: instructions('VOLUME'),
  graceSeconds: Number.POSITIVE_INFINITY,
};

export const DEPLOYMENTS = [image, readCompose(), readUnit(), readKubernetes()];
