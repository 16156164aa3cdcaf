import type { Fact, FactId, FactValue } from '../model/facts.ts';
import { visible } from './visible.ts';

/** One thing of the stack: what it is, its version, where it is. Unknown parts are null. */
export interface InventoryItem {
  readonly what: string;
  readonly version: string | null;
  readonly where: string | null;
  readonly note: string | null;
}

/** The GPU stack of a machine or a container as a probe saw it. JSON shape of `culprit/inventory@1`. */
export interface Inventory {
  readonly schema: 'culprit/inventory@1';
  readonly takenAt: string | null;
  readonly sections: readonly { readonly title: string; readonly items: readonly InventoryItem[] }[];
  /** What was not seen, and why. */
  readonly unknown: readonly { readonly source: string; readonly why: string }[];
}

function item(
  what: string,
  version: string | null = null,
  where: string | null = null,
  note: string | null = null,
): InventoryItem {
  return { what, version, where, note };
}

/** Lists the stack from the facts of a probe. */
export function inventoryOf(facts: readonly Fact[], takenAt: string | null): Inventory {
  const all = <Id extends FactId>(id: Id): readonly FactValue<Id>[] =>
    facts.filter((fact) => fact.id === id).map((fact) => fact.value as FactValue<Id>);
  const each = (id: FactId, what: string): readonly InventoryItem[] =>
    [...new Set(all(id).map(String))].map((value) => item(what, value));
  const sections: { title: string; items: readonly InventoryItem[] }[] = [];
  const add = (title: string, ...items: readonly (readonly InventoryItem[])[]): void => {
    const flat = items.flat();
    if (flat.length > 0) sections.push({ title, items: flat });
  };
  add(
    'machine',
    each('os.name', 'system'),
    each('os.kernel', 'kernel'),
    each('os.arch', 'processor'),
    each('os.platform', 'platform'),
    each('os.l4t', 'L4T'),
  );
  add(
    'driver',
    each('driver.module', 'module in memory'),
    each('driver.flavour', 'flavour'),
    each('driver.module-file', 'module on disk'),
    each('driver.library', 'libraries'),
    each('driver.cuda', 'serves CUDA'),
    all('driver.dkms').map((tree) =>
      item('DKMS', tree.version, null, `kernel ${tree.kernel ?? 'none'}, ${tree.state}`),
    ),
    all('modules.loaded')
      .slice(0, 1)
      .map((names) => item('modules loaded', null, null, names.join(' '))),
  );
  add(
    'GPUs',
    all('pci.gpu').map((gpu) => item(gpu.name, null, gpu.address, `kernel driver ${gpu.driver ?? 'none'}`)),
    each('gpu.name', 'name'),
    all('gpu.mig-mode').map((mig) =>
      item('MIG', null, mig.gpu, mig.current === true ? 'on' : mig.current === false ? 'off' : 'none'),
    ),
    all('fabric.nvswitch')
      .slice(0, 1)
      .map(() => item('NVSwitch')),
  );
  add('toolkits', each('toolkit.installed', 'CUDA'));
  add(
    'libraries that a program loads',
    all('loader.loads').map((loads) =>
      item(
        loads.soname,
        loads.version,
        loads.path,
        [
          loads.asker,
          loads.by === null ? null : `by ${loads.by}`,
          loads.kind,
          loads.rival === null ? null : `or ${loads.rival}, as a tag decides that was not read`,
          loads.losers.length === 0 ? null : `passed over: ${loads.losers.join(' ')}`,
        ]
          .filter((part) => part !== null)
          .join(', '),
      ),
    ),
  );
  add(
    'packages',
    all('package').map((found) => item(found.name, found.version, null, found.manager)),
  );
  add(
    'containers',
    each('container.toolkit-version', 'NVIDIA container toolkit'),
    each('container.injection', 'GPUs put in by'),
    each('container.default-runtime', 'default runtime'),
    all('container.runtimes')
      .slice(0, 1)
      .map((names) => item('runtimes', null, null, names.join(' '))),
  );
  add(
    'services and fabric',
    all('os.service').map((service) => item(service.unit, null, null, service.state)),
    all('ib.port').map((port) =>
      item(
        `${port.device} port ${port.port}`,
        null,
        null,
        [port.state, port.physical, port.rate === null ? null : `${port.rate} Gb/s`, port.layer]
          .filter((part) => part !== null)
          .join(', '),
      ),
    ),
  );
  add(
    'in use by',
    all('process.holder').map((holder) =>
      item(
        holder.name ?? 'process',
        null,
        `pid ${holder.pid}`,
        [
          holder.uid === null ? null : `uid ${holder.uid}`,
          holder.pod === null ? null : `pod ${holder.pod}`,
          holder.job === null ? null : `job ${holder.job}`,
        ]
          .filter((part) => part !== null)
          .join(', ') || null,
      ),
    ),
    all('process.library').map((library) =>
      item(
        library.path.slice(library.path.lastIndexOf('/') + 1),
        library.version,
        library.path,
        `pid ${library.pid}${library.deleted ? ', its file is gone or replaced' : ''}`,
      ),
    ),
  );
  const unknown = all('probe.missing').map(({ source, why }) => ({ source, why }));
  return { schema: 'culprit/inventory@1', takenAt, sections, unknown };
}

export function inventoryJson(inventory: Inventory): string {
  return `${JSON.stringify(inventory, null, 2)}\n`;
}

/** Why something was not seen. */
const whyWords: Readonly<Record<string, string>> = {
  absent: 'it is not there',
  denied: 'reading it is not permitted',
  timeout: 'it did not come back in time',
  unfinished: 'the probe was stopped in it',
  'skipped:no-module': 'not run, as the kernel module of NVIDIA is not loaded',
  'skipped:rollout': 'not run while the driver is being changed',
  'skipped:budget': 'the time was up before it',
  'skipped:outside': 'it leads out of the root that was given',
  'skipped:no-od': 'the program od is not there',
  'skipped:foreign-root': 'programs of another root are not run',
};

/** Driver, GPUs and toolkits in one line. */
function headline({ sections }: Inventory): string {
  const of = (title: string): readonly InventoryItem[] => sections.find((each) => each.title === title)?.items ?? [];
  const version = (title: string, what: string): string | null =>
    of(title).find((each) => each.what === what)?.version ?? null;
  const driver = version('driver', 'module in memory');
  const library = version('driver', 'libraries');
  const gpus = of('GPUs').filter((each) => each.note?.startsWith('kernel driver') === true).length;
  const toolkits = of('toolkits').map((each) => each.version ?? '?');
  const parts = [
    driver !== null
      ? `driver ${driver}`
      : library !== null
        ? `driver libraries ${library}, no module in memory`
        : of('driver').length > 0
          ? 'no driver in memory'
          : 'no NVIDIA driver',
    gpus > 0 ? `${gpus} GPU${gpus === 1 ? '' : 's'} on the PCI bus` : 'no GPU on the PCI bus was seen',
    toolkits.length === 0 ? 'no CUDA toolkit' : `CUDA ${toolkits.join(', ')}`,
  ];
  return visible(parts.join('; '));
}

/** The list for a terminal: the stack in one line, then its parts. */
export function inventoryText(inventory: Inventory): string {
  const lines: string[] = [headline(inventory)];
  for (const { title, items } of inventory.sections) {
    lines.push('', title);
    for (const each of items) {
      const parts = [each.what, each.version, each.where].filter((part) => part !== null).join('  ');
      lines.push(`  ${visible(parts)}${each.note === null ? '' : visible(`  (${each.note})`)}`);
    }
  }
  if (inventory.unknown.length > 0) lines.push('', 'not seen');
  for (const { source, why } of inventory.unknown) lines.push(`  ${visible(`${source}: ${whyWords[why] ?? why}`)}`);
  return `${lines.join('\n')}\n`;
}
