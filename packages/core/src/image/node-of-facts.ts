import type { Fact, FactId, FactValue } from '../model/facts.ts';
import { parseContainerToolkit } from '../compat/injection.ts';
import { parseDriver } from '../versions/driver.ts';
import type { Node } from './model.ts';

const modes = ['legacy', 'csv', 'cdi', 'jit-cdi', 'auto'] as const;
const compatModes = ['ldconfig', 'mount', 'hook', 'disabled'] as const;
const architectures = { x86_64: 'amd64', aarch64: 'arm64', ppc64le: 'ppc64le' } as const;

/**
 * The node that a snapshot shows. What it does not show, or shows with several values, is left out.
 * @param facts what was read of the snapshot
 * @param name of the subject
 */
export function nodeOfFacts(facts: readonly Fact[], name: string | null): Node {
  const values = <Id extends FactId>(id: Id): readonly FactValue<Id>[] =>
    facts.filter((fact) => fact.id === id && !fact.told).map((fact) => fact.value as FactValue<Id>);
  const only = <Id extends FactId>(id: Id): FactValue<Id> | undefined => {
    const found = [...new Set(values(id))];
    return found.length === 1 ? found[0] : undefined;
  };
  const node: { -readonly [Field in keyof Node]: Node[Field] } = {};
  if (name !== null && name !== '') node.name = name;
  const loaded = only('driver.module') ?? only('driver.version');
  if (loaded !== undefined && parseDriver(loaded) !== null) node.driver = loaded;
  const library = only('driver.library');
  if (library !== undefined && library !== node.driver && parseDriver(library) !== null) node.library = library;
  const gpu = only('gpu.name') ?? only('gpu.compute-capability');
  if (gpu !== undefined) node.gpu = gpu;
  const flavour = only('driver.flavour');
  if (flavour !== undefined) node.flavour = flavour;
  const toolkit = only('container.toolkit-version');
  if (toolkit !== undefined && parseContainerToolkit(toolkit) !== null) node.toolkit = toolkit;
  const arch = only('os.arch');
  if (arch !== undefined) node.platform = `linux/${architectures[arch]}`;
  const docker = values('container.engine').find((engine) => engine.name.toLowerCase() === 'docker');
  if (docker !== undefined) node.docker = docker.version;
  const folders = values('loader.cache')
    .filter((entry) => entry.soname === 'libcuda.so.1' && entry.path !== null)
    .map((entry) => (entry.path as string).slice(0, (entry.path as string).lastIndexOf('/')));
  const [folder, ...others] = new Set(folders.filter((each) => !/(?:^|\/)(?:lib32|i386)/.test(each)));
  if (folder !== undefined && others.length === 0) node.libdir = folder;
  for (const setting of values('container.toolkit-setting')) {
    const value = setting.value.toLowerCase();
    if (setting.key === 'mode' && setting.section === 'nvidia-container-runtime') {
      const mode = modes.find((each) => each === value);
      if (mode !== undefined) node.mode = mode;
    }
    if (setting.key === 'cuda-compat-mode') {
      const mode = compatModes.find((each) => each === value);
      if (mode !== undefined) node.cudaCompatMode = mode;
    }
    if (setting.key === 'disable-require' && (value === 'true' || value === 'false'))
      node.disableRequire = value === 'true';
  }
  return node;
}
