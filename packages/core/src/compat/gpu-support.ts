import type { ModuleFlavourRow } from '../knowledge/branches.types.ts';
import { gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

/**
 * Does this branch drive the GPU at all? First and last branch of the architecture and of the compute capability.
 * A first branch that was only inferred decides nothing when the driver is exactly that branch.
 */
export function gpuSupportStep(gpu: Gpu, driver: HostDriver, tables: Tables): Step {
  const rule = 'gpu-driver-support';
  const label = gpuLabel(gpu);
  const branch = driver.branch;
  if (branch === null) {
    return isOpen(rule, `${driver.reason}: whether it drives ${label} is not known`, [], {
      as: 'cannot-tell',
      needs: 'a driver version that has been published',
      missing: `driver ${driver.version.text}`,
    });
  }
  const row = gpu.row;
  if (row === null || gpu.architecture === null) {
    return isOpen(rule, `${label} is in no table`, [], {
      as: 'cannot-tell',
      needs: 'the compute capability of the GPU',
      missing: `GPU ${gpu.printed}`,
    });
  }
  if (row.tegra && row.firstBranch === null) {
    return isOpen(rule, `${label} is a Jetson with driver releases of its own`, row.sources, {
      as: 'cannot-tell',
      needs: 'the JetPack or L4T release of the board',
      missing: 'JetPack release',
    });
  }
  const span = tables.spans.find(
    (one) => one.architecture === gpu.architecture && gpu.sm >= one.minSm && gpu.sm <= one.maxSm,
  );
  const sources = [...new Set([...row.sources, ...(span?.sources ?? [])])];
  const last = row.lastBranch ?? span?.lastBranch ?? null;
  const first = Math.max(row.firstBranch ?? 0, span?.firstBranch ?? 0);
  if (last !== null && branch.branch > last) {
    return fails(
      rule,
      `R${last} is the last branch that drives ${gpu.architecture}; ${driverLabel(driver)} is newer`,
      sources,
      'no devices',
      `an R${last} driver`,
    );
  }
  if (branch.branch < first) {
    const openOnly = flavourRow(gpu, first, tables)?.flavours === 'open-only' ? ' with open modules' : '';
    return fails(
      rule,
      `${label} is driven from R${first} on; ${driverLabel(driver)} is older`,
      sources,
      'no devices',
      `driver ${first} or newer${openOnly}`,
    );
  }
  const firstIsSure = row.confirmedFields.firstBranch || branch.branch > first;
  if (!firstIsSure || (first === 0 && !branch.architectures.includes(gpu.architecture))) {
    return isOpen(rule, `that R${branch.branch} drives ${label} is inferred, not printed`, sources, {
      as: 'cannot-tell',
      needs: `a branch newer than R${branch.branch}, or a start of that GPU on it`,
      missing: `first branch of ${label}`,
    });
  }
  return holds(rule, `R${branch.branch} drives ${label}`, sources);
}

function flavourRow(gpu: Gpu, branch: number, tables: Tables): ModuleFlavourRow | null {
  let found: ModuleFlavourRow | null = null;
  for (const row of tables.flavours) {
    if (row.architecture !== gpu.architecture) continue;
    if (row.fromBranch !== null && branch < row.fromBranch) continue;
    if (row.toBranch !== null && branch > row.toBranch) continue;
    if (row.products === null) found ??= row;
    else if (gpu.name !== null && row.products.includes(gpu.name)) return row;
  }
  return found;
}

/**
 * Is the loaded kind of kernel module one that drives the GPU? Null when no flavour was named: then the right one is
 * taken to be loaded and there is nothing to say.
 */
export function moduleFlavourStep(
  flavour: 'open' | 'proprietary' | 'unknown' | undefined,
  gpu: Gpu,
  driver: HostDriver | null,
  tables: Tables,
): Step | null {
  if (flavour === undefined || gpu.architecture === null) return null;
  const rule = 'module-flavour';
  const label = gpuLabel(gpu);
  const branch = driver?.branch ?? null;
  if (flavour !== 'unknown' && branch !== null && branch.confirmedFields.openModule) {
    const missing = flavour === 'open' && branch.openModule === 'none';
    const gone = flavour === 'proprietary' && branch.openModule === 'only';
    if (missing || gone) {
      return isOpen(rule, `R${branch.branch} has no ${flavour} kernel module`, branch.sources, {
        as: 'cannot-tell',
        needs: 'driver version and module flavour that belong together',
        missing: 'module flavour',
      });
    }
  }
  const at = branch?.branch ?? newestSure(gpu, tables);
  const row = flavourRow(gpu, at, tables);
  if (row === null || !row.confirmed) {
    return isOpen(rule, `which module flavour ${label} needs is not confirmed`, row?.sources ?? [], {
      as: 'cannot-tell',
      needs: 'the module flavour that this GPU takes',
      missing: 'module flavour rule',
    });
  }
  const only = row.flavours === 'open-only' ? 'open' : row.flavours === 'proprietary-only' ? 'proprietary' : null;
  const maybe = only === null ? productThatMustBeOpen(gpu, at, flavour, tables) : null;
  if (maybe !== null) {
    return isOpen(rule, `${maybe} shares this compute capability and takes the open modules only`, row.sources, {
      as: 'runs-if',
      needs: `a board that is not ${maybe}`,
    });
  }
  if (only === null) return holds(rule, `${label} works with either kernel module flavour`, row.sources);
  if (flavour === 'unknown') {
    return isOpen(rule, `${label} works with the ${only} kernel modules only`, row.sources, {
      as: 'runs-if',
      needs: `the ${only} kernel modules`,
      missing: 'module flavour',
    });
  }
  if (flavour === only)
    return holds(rule, `${label} takes the ${only} kernel modules, and they are loaded`, row.sources);
  return fails(
    rule,
    `${label} works with the ${only} kernel modules only, loaded is the ${flavour} flavour`,
    row.sources,
    'no devices',
    `the ${only} kernel modules`,
  );
}

/** Only the compute capability is known and one product of it takes the open modules only. */
function productThatMustBeOpen(gpu: Gpu, branch: number, flavour: string, tables: Tables): string | null {
  if (gpu.name !== null || flavour === 'open') return null;
  const row = tables.flavours.find(
    (one) =>
      one.architecture === gpu.architecture &&
      one.products !== null &&
      one.flavours === 'open-only' &&
      branch >= (one.fromBranch ?? 0),
  );
  return row?.products?.[0] ?? null;
}

/** Newest branch for which the flavour rule of an architecture was read: asked when the driver is not given. */
function newestSure(gpu: Gpu, tables: Tables): number {
  let newest = 0;
  for (const row of tables.flavours) {
    if (row.architecture === gpu.architecture && row.confirmed) newest = Math.max(newest, row.toBranch ?? 9999);
  }
  return tables.flavours.some(
    (row) => row.architecture === gpu.architecture && row.products === null && row.confirmed && row.toBranch === null,
  )
    ? newest
    : Math.max(
        0,
        ...tables.flavours
          .filter((row) => row.architecture === gpu.architecture && row.products === null && row.confirmed)
          .map((row) => row.toBranch ?? 0),
      );
}
