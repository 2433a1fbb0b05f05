import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { memoryOfThreads } from '../../src/gateway/memory-budget.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { leanCaller } from '../support/lean-client.js';
import { minutes } from '../support/patience.js';
import { sendHttp } from '../support/raw-http.js';
import { REPOSITORY, serveGateway } from '../support/served-gateway.js';

const run = promisify(execFile);

const BASE = join(REPOSITORY, 'deploy/kubernetes/base');
const OVERLAY = join(REPOSITORY, 'deploy/kubernetes/overlays/redis');
const COMPOSE = join(REPOSITORY, 'deploy/compose');

// biome-ignore lint/suspicious/noExplicitAny: manifests have every shape.
type Manifest = any;

describe('the Kubernetes manifests', () => {
  it.each([BASE, OVERLAY])('of %s are what the schemas of Kubernetes allow', async (directory) => {
    for (const manifest of await build(directory)) {
      const { apiVersion, kind } = manifest;
      const { [kind]: Model } = await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`);
      expect(() => new Model(manifest).validate(), `${kind} ${manifest.metadata.name}`).not.toThrow();
    }
  });

  it.each([BASE, OVERLAY])('of %s name only what there is: files, volumes, ports, pods', async (directory) => {
    const manifests = await build(directory);
    const { configMaps, secrets } = generatedBy(directory);
    const workloads = manifests.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
    const podLabels = workloads.map(({ spec }) => spec.template.metadata.labels);
    const selects = (labels: object): boolean =>
      podLabels.some((pod) => Object.entries(labels).every(([key, value]) => pod[key] === value));
    for (const { kind, metadata, spec } of manifests) {
      const selector = spec.podSelector?.matchLabels ?? spec.selector?.matchLabels ?? spec.selector;
      expect(selects(selector), `${kind} ${metadata.name} selects pods`).toBe(true);
    }
    for (const { spec } of workloads) {
      const { containers, volumes } = spec.template.spec;
      const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata.name);
      const mounted = containers.flatMap(({ volumeMounts }: Manifest) =>
        volumeMounts.map(({ name }: Manifest) => name),
      );
      expect(mounted.sort()).toEqual([...volumes.map(({ name }: Manifest) => name), ...claims].sort());
      for (const { configMap, secret } of volumes) {
        if (configMap !== undefined) expect(configMaps).toHaveProperty(configMap.name);
        if (secret === undefined) continue;
        const keys = (secret.items ?? []).map(({ key }: Manifest) => key);
        expect(secrets[secret.secretName]).toEqual(expect.arrayContaining(keys));
      }
      for (const { ports, readinessProbe, livenessProbe, securityContext, resources } of containers) {
        const names = ports.map(({ name }: Manifest) => name);
        for (const probe of [readinessProbe, livenessProbe])
          expect(names).toContain((probe.httpGet ?? probe.tcpSocket).port);
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
        expect(resources.limits).toHaveProperty('memory');
      }
      expect(spec.template.spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
    }
  });

  it('give a gateway that stops the time that its configuration asks for, and look at it often enough', async () => {
    const { server } = JSON.parse(await readFile(join(BASE, 'gateway.config.json'), 'utf8'));
    const [{ spec }] = (await build(OVERLAY)).filter(({ kind }) => kind === 'Deployment');
    const { terminationGracePeriodSeconds, containers } = spec.template.spec;
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(server.lameDuckMs + server.drainMs + 3_000);
    expect(containers[0].readinessProbe.periodSeconds * 2_000).toBeLessThan(server.lameDuckMs);
    expect(containers[0].ports[0].containerPort).toBe(server.port);
    expect(spec.replicas).toBe(3);
  });
});

describe('the memory that manifests give a gateway', () => {
  it('is enough for it beside its threads, which take their share of the limit', async () => {
    const limits = [];
    for (const { kind, spec } of [...(await build(BASE)), ...(await build(OVERLAY))])
      if (kind === 'Deployment') limits.push(spec.template.spec.containers[0].resources.limits.memory);
    for (const file of [join(REPOSITORY, 'docker-compose.yml'), join(COMPOSE, 'docker-compose.yml')]) {
      const { services } = parse(readFileSync(file, 'utf8'), { merge: true });
      const gateways = Object.entries<Manifest>(services).filter(([name]) => name.startsWith('gateway'));
      limits.push(...gateways.map(([, service]) => service.mem_limit));
    }
    expect(limits).toHaveLength(5);
    for (const limit of limits) {
      const [, count, unit = ''] = /^(\d+)(Gi|g)$/.exec(limit) ?? [];
      expect(unit, limit).not.toBe('');
      const bytes = Number(count) * 1_024 ** 3;
      // Its own, and that of two servers which it starts.
      expect(bytes - memoryOfThreads([bytes])).toBeGreaterThanOrEqual(450 * 1_024 ** 2);
    }
  });
});

describe("the manifests' configuration", () => {
  it('takes requests by each name of the Service, in any namespace, and by no other', async () => {
    const [{ spec }] = (await build(BASE)).filter(({ kind }) => kind === 'Deployment');
    expect(spec.template.spec.containers[0].env).toContainEqual({
      name: 'POD_NAMESPACE',
      valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
    });
    await using data = await makeDirectory();
    await using gateway = await serveGateway(await sampleConfig('deploy/kubernetes/base', data.path), {
      env: { POD_NAMESPACE: 'team-a' },
    });
    const askAs = (host: string) =>
      sendHttp(new URL('/healthz', gateway.url).href, { method: 'GET', headers: { host } });
    for (const rest of ['', '.team-a', '.team-a.svc', '.team-a.svc.cluster.local'])
      expect(await askAs(`mcp-aql-gateway${rest}:3333`), rest).toMatchObject({ status: 200 });
    for (const host of ['mcp-aql-gateway.team-b', 'mcp-aql-gateway.com', 'other.team-a.svc'])
      expect(await askAs(host), host).toMatchObject({ status: 403 });
  });
});

describe('the compose files', () => {
  it.each(['docker-compose.yml', 'deploy/compose/docker-compose.yml'])(
    'build each image once and give no service more rights than it needs: %s',
    (file) => {
      const { services } = parse(readFileSync(join(REPOSITORY, file), 'utf8'), { merge: true });
      const all = Object.values<Manifest>(services);
      const built = all.filter(({ build: how }) => how !== undefined).map(({ image }) => image);
      expect(built).toEqual(['mcp-aql-gateway']);
      for (const service of all) {
        expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
        if (!service.image.startsWith('caddy')) expect(service).toMatchObject({ read_only: true });
      }
    },
  );
});

describe('the compose file', () => {
  it('names only what there is, and a proxy that asks both gateways often enough', async () => {
    const { services, secrets, networks, volumes } = parse(readFileSync(join(COMPOSE, 'docker-compose.yml'), 'utf8'), {
      merge: true,
    });
    const known = Object.keys({ ...secrets, ...networks, ...volumes });
    for (const service of Object.values<Manifest>(services)) {
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
      for (const name of needed) expect(Object.keys(services)).toContain(name);
      for (const name of [...service.networks, ...(service.secrets ?? [])]) expect(known).toContain(name);
      for (const volume of service.volumes ?? []) {
        const [from] = volume.split(':');
        expect(from.startsWith('./') ? existsSync(join(COMPOSE, from)) : known.includes(from), from).toBe(true);
      }
    }
    const { server, store } = JSON.parse(readFileSync(join(COMPOSE, 'gateway.config.json'), 'utf8'));
    const proxy = readFileSync(join(COMPOSE, 'Caddyfile'), 'utf8');
    const [, targets = '', seconds] = /reverse_proxy (.+) \{[\s\S]*health_interval (\d+)s/.exec(proxy) ?? [];
    expect(targets.split(' ')).toEqual([`gateway-one:${server.port}`, `gateway-two:${server.port}`]);
    expect(server.allowedHosts).toEqual(expect.arrayContaining(['gateway-one', 'gateway-two']));
    expect(Number(seconds) * 2_000).toBeLessThan(server.lameDuckMs);
    expect(Object.keys(services)).toContain(new URL(store.url).hostname);
  });

  it.each(['deploy/kubernetes/base', 'deploy/compose'])(
    'and %s start a gateway, which asks for the token',
    async (from) => {
      await using data = await makeDirectory();
      await using gateway = await serveGateway(await sampleConfig(from, data.path), {
        env: { POD_NAMESPACE: 'default' },
      });
      expect((await fetch(gateway.url, { method: 'POST' })).status).toBe(401);
      const call = leanCaller(gateway.url.replace('localhost', '127.0.0.1'), 'a-client-with-a-long-token');
      expect((await call('mcp_aql_read', 'introspect', { query: 'operations', first: 1 })).success).toBe(true);
    },
  );
});

/** A sample's configuration with its files and its data in a folder, and without a store that is elsewhere. */
async function sampleConfig(from: string, folder: string): Promise<object> {
  await writeFile(join(folder, 'client-token'), 'a-client-with-a-long-token');
  const text = readFileSync(join(REPOSITORY, from, 'gateway.config.json'), 'utf8')
    .replaceAll('"/data"', JSON.stringify(join(folder, 'data')))
    .replace(/\/run\/secrets(?:\/gateway)?/, folder);
  const { store: _, ...config } = JSON.parse(text);
  return { ...config, server: { ...config.server, lameDuckMs: 0 } };
}

/** npm packs, and three servers start, beside whatever else the machine does. */
const PACKING_MS = minutes(3);

describe('the package', () => {
  it(
    'is run by its command once it is installed beside its dependencies',
    async () => {
      await using folder = await makeDirectory();
      const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path], {
        cwd: REPOSITORY,
      });
      const [{ filename }] = JSON.parse(stdout);
      const modules = join(folder.path, 'node_modules');
      await mkdir(modules);
      await run('tar', ['-xzf', join(folder.path, filename), '-C', folder.path]);
      await cp(join(folder.path, 'package'), join(modules, 'mcp-aql-gateway'), { recursive: true });
      const { dependencies, optionalDependencies, bin } = JSON.parse(
        await readFile(join(modules, 'mcp-aql-gateway/package.json'), 'utf8'),
      );
      // The registry is not asked: what would be installed is linked, and nothing that is for development alone.
      for (const name of await listInstalled({ ...dependencies, ...optionalDependencies })) {
        await mkdir(dirname(join(modules, name)), { recursive: true });
        await symlink(join(REPOSITORY, 'node_modules', name), join(modules, name));
      }
      const command = join(modules, 'mcp-aql-gateway', bin['mcp-aql-gateway']);
      const listed = await run(process.execPath, [command, 'list', '--json'], { cwd: folder.path, env: CLEAN });
      const states = JSON.parse(listed.stdout).map(({ state }: { readonly state: string }) => state);
      // The servers of its own configuration, which are among its dependencies.
      expect(new Set(states)).toEqual(new Set(['ready']));
    },
    PACKING_MS,
  );

  it('has a bill of materials that names every package that it needs', async () => {
    const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: REPOSITORY, maxBuffer: 64 * 1_048_576 });
    const bill = JSON.parse(stdout);
    const { packages } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
    const named = new Set(
      bill.components.map(({ purl }: { readonly purl: string }) => decodeURIComponent(purl).split('?')[0]),
    );
    const needed = Object.entries<Manifest>(packages)
      .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
      .map(([path, { version }]) => `pkg:npm/${path.split('node_modules/').at(-1)}@${version}`);
    expect(needed.length).toBeGreaterThan(20);
    expect(needed.filter((purl) => !named.has(purl))).toEqual([]);
  });
});

const { NODE_PATH: _, ...CLEAN } = process.env;

/** What these packages need too, as far as it lies beside them. */
async function listInstalled(wanted: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const queue = Object.keys(wanted);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const file = join(REPOSITORY, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(file)) continue;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(await readFile(file, 'utf8'));
    queue.push(...Object.keys({ ...dependencies, ...optionalDependencies }));
  }
  return found;
}

/** The names that a kustomization and its bases generate. */
function generatedBy(directory: string): {
  readonly configMaps: Readonly<Record<string, readonly string[]>>;
  readonly secrets: Readonly<Record<string, readonly string[]>>;
} {
  const { resources, configMapGenerator = [], secretGenerator = [] } = kustomizationOf(directory);
  const bases = resources.filter((name: string) => !name.endsWith('.yaml'));
  const below = bases.map((name: string) => generatedBy(join(directory, name)));
  const keysOf = (generators: Manifest[]) =>
    generators.map(({ name, files }) => [name, files.map((file: string) => file.split('/').at(-1))]);
  for (const { files } of configMapGenerator) {
    for (const file of files) expect(existsSync(join(directory, file)), file).toBe(true);
  }
  return {
    configMaps: Object.assign(
      Object.fromEntries(keysOf(configMapGenerator)),
      ...below.map((each: Manifest) => each.configMaps),
    ),
    secrets: Object.assign(Object.fromEntries(keysOf(secretGenerator)), ...below.map((each: Manifest) => each.secrets)),
  };
}

function kustomizationOf(directory: string): Manifest {
  return parse(readFileSync(join(directory, 'kustomization.yaml'), 'utf8'));
}

/** The manifests of a kustomization, with as much of what kustomize does as these use: resources, patches, replicas. */
async function build(directory: string): Promise<Manifest[]> {
  const { resources, patches = [], replicas = [] } = kustomizationOf(directory);
  const read = (file: string): Manifest[] =>
    parseAllDocuments(readFileSync(join(directory, file), 'utf8')).map((each) => each.toJS());
  const parts = await Promise.all(
    resources.map((name: string) => (name.endsWith('.yaml') ? read(name) : build(join(directory, name)))),
  );
  let manifests: Manifest[] = parts.flat();
  for (const patch of patches.flatMap(({ path }: Manifest) => read(path))) {
    const isMeant = ({ kind, metadata }: Manifest) => kind === patch.kind && metadata.name === patch.metadata.name;
    expect(manifests.filter(isMeant)).toHaveLength(1);
    manifests = manifests.map((each) => (isMeant(each) ? merge(each, patch) : each));
  }
  for (const { name, count } of replicas) {
    manifests = manifests.map((each) =>
      each.kind === 'Deployment' && each.metadata.name === name ? merge(each, { spec: { replicas: count } }) : each,
    );
  }
  const listed = await readdir(directory);
  expect(listed).toContain('kustomization.yaml');
  return manifests;
}

/** A strategic merge: objects by their keys, lists of named objects by their names. */
function merge(one: Manifest, other: Manifest): Manifest {
  if (Array.isArray(one) && Array.isArray(other)) {
    const names = new Set(other.map(({ name }) => name));
    const kept = one.filter(({ name }) => !names.has(name));
    return [...kept, ...other.map((each) => merge(one.find(({ name }) => name === each.name) ?? {}, each))];
  }
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(one) || !isObject(other)) return other;
  const merged = Object.entries(other).map(([key, value]) => [key, key in one ? merge(one[key], value) : value]);
  return { ...one, ...Object.fromEntries(merged) };
}
