import { describe, expect, test } from 'vitest';
import { compareDriver, parseDriver } from '../versions/driver.ts';
import { citations as tableCitations } from './citations.rows.ts';
import { integrityErrors } from './integrity.ts';
import { defaultKnowledge as knowledge } from './knowledge.ts';
import { tables } from './tables.ts';

const numbers = (version: string): readonly number[] => version.split('.').map(Number);
const inOrder = (a: string, b: string): boolean => {
  const [x, y] = [numbers(a), numbers(b)];
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
};
const smOf = (capability: string): number => Number(capability.replace('.', ''));

function ascending(values: readonly string[]): readonly string[] {
  return values.filter((value, at) => at > 0 && !inOrder(values[at - 1]!, value));
}

describe('every table', () => {
  test('holds together: keys are unique, sources have citations, references lead somewhere', () => {
    expect(integrityErrors(knowledge)).toEqual([]);
  });

  test('has rows', () => {
    for (const { name, key } of tables) expect(knowledge[key].length, name).toBeGreaterThan(0);
  });

  test('is listed once, and every table is listed', () => {
    const keys = Object.keys(knowledge).filter((key) => !['asOf', 'digest', 'signatures'].includes(key));
    expect(tables.map((table) => table.key).sort()).toEqual(keys.sort());
    expect(new Set(tables.map((table) => table.name)).size).toBe(tables.length);
  });

  test('names the day of its facts', () => {
    expect(knowledge.asOf).toBe('2026-11-30');
    expect(knowledge.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test('says what things mean', () => {
    const empty: string[] = [];
    for (const { name, key } of tables) {
      for (const row of knowledge[key]) {
        for (const [field, value] of Object.entries(row))
          if (value === '') empty.push(`${name} ${JSON.stringify(row).slice(0, 60)} ${field}`);
      }
    }
    expect(empty).toEqual([]);
  });
});

describe('citations', () => {
  test('have unique ids and addresses that can be opened', () => {
    const ids = knowledge.citations.map((citation) => citation.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const citation of knowledge.citations) expect(citation.url).toMatch(/^https:\/\/[a-z0-9.-]+\//);
    for (const citation of knowledge.citations) expect(citation.title).not.toBe('');
  });
});

describe('sources of tables', () => {
  test('are all named by a row', () => {
    const named = new Set<string>();
    for (const { key } of tables)
      for (const row of knowledge[key]) if ('sources' in row) for (const source of row.sources) named.add(source);
    expect(tableCitations.map((citation) => citation.id).filter((id) => !named.has(id))).toEqual([]);
  });
});

describe('toolkits and driver branches', () => {
  const branches = new Map(knowledge.branches.map((row) => [row.branch, row]));

  test('are in order', () => {
    expect(ascending(knowledge.toolkits.map((row) => row.cuda))).toEqual([]);
    expect(ascending(knowledge.branches.map((row) => String(row.branch)))).toEqual([]);
    expect(ascending(knowledge.branches.map((row) => row.cuda))).toEqual([]);
    for (const row of knowledge.branches)
      expect(ascending(row.releases.map((release) => release.version)), row.branch.toString()).toEqual([]);
  });

  test('agree: the branch of a toolkit reports its CUDA version', () => {
    for (const row of knowledge.toolkits) expect(branches.get(row.branch)?.cuda, row.label).toBe(row.cuda);
  });

  test('a packaged driver is of the branch, is a known release or newer, and lies at or above the floor', () => {
    for (const row of knowledge.toolkits) {
      if (row.packagedDriverLinux === null) continue;
      expect(numbers(row.packagedDriverLinux)[0], row.label).toBe(row.branch);
      expect(inOrder(row.runFloorLinux, row.packagedDriverLinux), row.label).toBe(true);
    }
  });

  test('since 11.1 all toolkits of a major share a floor, and it is that of minor version compatibility', () => {
    for (const row of knowledge.toolkits.filter((each) => each.runFloorRule === 'minor-version-compat')) {
      const [major = 0, minor = 0] = numbers(row.cuda);
      const floor = knowledge.minorVersion.find(
        (each) => each.major === major && minor >= each.fromMinor && minor <= (each.toMinor ?? 99),
      );
      expect(floor?.minDriverLinux, row.label).toBe(row.runFloorLinux);
    }
  });

  test.each([
    ['12.8.1', '525.60.13', '570.124.06'],
    ['13.0.0', '580', '580.65.06'],
    ['11.8.0', '450.80.02', '520.61.05'],
    ['10.2.89', '440.33', '440.33'],
  ])('toolkit %s runs from %s on and came with %s', (version, floor, packaged) => {
    const row = knowledge.toolkits.find((each) => each.version === version);
    expect(row?.runFloorLinux).toBe(floor);
    expect(row?.packagedDriverLinux).toBe(packaged);
  });

  test('releases belong to their branch and read as driver versions', () => {
    for (const row of knowledge.branches) {
      for (const release of row.releases) {
        expect(numbers(release.version)[0]).toBe(row.branch);
        expect(parseDriver(release.version), release.version).not.toBeNull();
      }
    }
  });

  test('the last known release is not older than a listed one that is no beta', () => {
    for (const row of knowledge.branches) {
      if (row.lastKnown === null) continue;
      const last = parseDriver(row.lastKnown)!;
      for (const release of row.releases) {
        if (release.vulkanBeta) continue;
        expect(
          compareDriver(parseDriver(release.version)!, last),
          `${release.version} ${row.lastKnown}`,
        ).toBeLessThanOrEqual(0);
      }
    }
  });
});

describe('architectures', () => {
  const spans = new Map(knowledge.architectureSpans.map((row) => [row.architecture, row]));

  test('are in order and named as the compiler names them', () => {
    expect(ascending(knowledge.architectures.map((row) => row.computeCapability))).toEqual([]);
    for (const row of knowledge.architectures) expect(row.sm, row.computeCapability).toBe(smOf(row.computeCapability));
  });

  test('end with the driver branch and toolkit of their family', () => {
    for (const row of knowledge.architectures.filter((each) => !each.tegra)) {
      const span = spans.get(row.architecture)!;
      expect(row.lastBranch, row.computeCapability).toBe(span.lastBranch);
      expect(row.sm).toBeGreaterThanOrEqual(span.minSm);
      expect(row.sm).toBeLessThanOrEqual(span.maxSm);
      if (row.firstBranch !== null && span.firstBranch !== null)
        expect(row.firstBranch).toBeGreaterThanOrEqual(span.firstBranch);
    }
  });

  test('are driven by the branches that list them, and by no other', () => {
    for (const branch of knowledge.branches) {
      for (const [architecture, span] of spans) {
        if (span.firstBranch === null) continue;
        const driven = branch.branch >= span.firstBranch && branch.branch <= (span.lastBranch ?? 9999);
        expect(branch.architectures.includes(architecture), `${architecture} on ${branch.branch}`).toBe(driven);
      }
    }
  });

  test('dropped compute capabilities are those whose last toolkit came before', () => {
    for (const cutoff of knowledge.cutoffs) {
      for (const capability of cutoff.dropped) {
        const row = knowledge.architectures.find((each) => each.computeCapability === capability);
        expect(row?.lastToolkit, capability).not.toBeNull();
        expect(
          row !== undefined && inOrder(row.lastToolkit!, cutoff.cuda) && row.lastToolkit !== cutoff.cuda,
          capability,
        ).toBe(true);
      }
    }
  });

  test('PTX grows with CUDA and never shrinks', () => {
    expect(ascending(knowledge.ptxIsa.map((row) => row.cuda))).toEqual([]);
    expect(ascending(knowledge.ptxIsa.map((row) => row.ptxIsa))).toEqual([]);
  });

  test('every branch that serves CUDA 9 or later has a PTX version, except the newest that were not read', () => {
    const known = new Set(knowledge.ptxIsa.map((row) => row.cuda));
    const missing = knowledge.branches
      .filter((row) => inOrder('9.0', row.cuda) && !known.has(row.cuda))
      .map((row) => row.cuda);
    expect(missing).toEqual(['13.5']);
  });

  test('every compute capability that drivers serve has occupancy limits, except Kepler and what was not read', () => {
    const known = new Set(knowledge.occupancy.map((row) => row.computeCapability));
    expect(
      knowledge.architectures
        .filter((row) => row.sm >= 50 && !known.has(row.computeCapability))
        .map((row) => row.computeCapability),
    ).toEqual(['10.7']);
  });

  test('Turing and newer have module flavours for each branch that drives them', () => {
    for (const branch of knowledge.branches) {
      for (const architecture of branch.architectures) {
        if (['Fermi', 'Kepler'].includes(architecture)) continue;
        const rows = knowledge.moduleFlavours.filter(
          (row) =>
            row.architecture === architecture &&
            row.products === null &&
            (row.fromBranch ?? 0) <= branch.branch &&
            branch.branch <= (row.toBranch ?? 9999),
        );
        expect(rows.length, `${architecture} on ${branch.branch}`).toBe(1);
      }
    }
  });
});

describe('GPUs', () => {
  test('names and aliases are told apart', () => {
    const names = knowledge.gpus.flatMap((row) => [row.name, ...row.aliases]).map((name) => name.toLowerCase());
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test.each([
    ['H100', '9.0', 'data-center', 132],
    ['V100', '7.0', 'data-center', 80],
    ['B200', '10.0', 'data-center', 148],
    ['GeForce RTX 4090', '8.9', 'geforce', 128],
    ['RTX A6000', '8.6', 'workstation', 84],
    ['TITAN RTX', '7.5', 'titan', 72],
    ['GB10', '12.1', 'integrated', 48],
    ['Jetson AGX Orin', '8.7', 'jetson', 16],
  ] as const)('%s is of compute capability %s and class %s with %i SMs', (name, capability, kind, sms) => {
    const row = knowledge.gpus.find((each) => each.name === name);
    expect(row).toMatchObject({ computeCapability: capability, class: kind, sms });
  });

  test('every product that an architecture names is in the table', () => {
    const names = knowledge.gpus
      .flatMap((row) => [row.name, ...row.aliases])
      .map((name) => name.toLowerCase().replace(/^(geforce|quadro|nvidia) /, ''));
    const missing: string[] = [];
    for (const row of knowledge.architectures) {
      for (const product of [
        ...row.products.dataCenter,
        ...row.products.workstation,
        ...row.products.consumer,
        ...row.products.embedded,
      ]) {
        const plain = product.toLowerCase().replace(/^(geforce|quadro|nvidia) /, '');
        if (!names.some((name) => name === plain || name.startsWith(plain))) missing.push(product);
      }
    }
    expect(missing).toEqual([]);
  });

  test('Jetsons are of Jetson compute capabilities, others are not', () => {
    const tegra = new Set(knowledge.architectures.filter((row) => row.tegra).map((row) => row.computeCapability));
    for (const row of knowledge.gpus) expect(tegra.has(row.computeCapability), row.name).toBe(row.class === 'jetson');
  });
});

describe('forward compatibility', () => {
  const cudaOf = new Map(knowledge.branches.map((row) => [row.branch, row.cuda]));

  test('a pair is the same where the base reports the CUDA of the package, provided above it only', () => {
    for (const row of knowledge.compatMatrix) {
      for (const base of row.bases) {
        const cuda = cudaOf.get(base.branch)!;
        const expected = cuda === row.cuda ? 'same-pairing' : inOrder(cuda, row.cuda) ? 'compatible' : 'not-provided';
        expect(base.pairing, `${row.package} on ${base.branch}`).toBe(expected);
      }
    }
  });

  test('packages carry a driver that serves their CUDA', () => {
    for (const row of knowledge.compatPackages) {
      if (row.driver === null) continue;
      expect(cudaOf.get(numbers(row.driver)[0]!), `${row.package} ${row.driver}`).toBe(row.cuda);
    }
  });

  test('historic bases are branches that exist', () => {
    for (const row of knowledge.compatHistoric) {
      for (const base of row.bases) expect(cudaOf.has(base.branch), `${row.package} ${base.branch}`).toBe(true);
      for (const branch of row.notBases) expect(cudaOf.has(branch), `${row.package} ${branch}`).toBe(true);
    }
  });

  test('every class of GPU has a rule', () => {
    const classes = new Set(knowledge.compatClasses.map((row) => row.class));
    for (const row of knowledge.gpus) expect(classes.has(row.class), row.name).toBe(true);
  });

  test('the errors of pairs are CUDA errors with these names', () => {
    for (const row of knowledge.compatErrors) {
      const error = knowledge.cudaErrors.find((each) => each.code === row.code);
      expect(error?.runtime).toBe(row.runtime);
      if (row.driver !== null) expect(error?.driver).toBe(row.driver);
    }
  });
});

describe('wheels and images', () => {
  const cudas = new Set(knowledge.toolkits.map((row) => row.cuda));
  const floors = new Map(knowledge.toolkits.map((row) => [row.cuda, row.runFloorLinux]));

  test('torch wheels are in order, of toolkits that exist, with the floor of their CUDA', () => {
    expect(ascending(knowledge.torchWheels.map((row) => row.torch))).toEqual([]);
    for (const row of knowledge.torchWheels) {
      expect(cudas.has(row.cuda), row.variant).toBe(true);
      expect(row.minDriverLinux, `${row.torch} ${row.variant}`).toBe(floors.get(row.cuda));
      expect(row.variant).toBe(`cu${row.cuda.replace('.', '')}`);
    }
  });

  test('torch wheels have code for compute capabilities that their toolkit compiles', () => {
    for (const wheel of knowledge.torchWheels) {
      for (const capability of wheel.archs ?? []) {
        const row = knowledge.architectures.find((each) => each.computeCapability === capability)!;
        const ok =
          inOrder(row.firstToolkit, wheel.cuda) && (row.lastToolkit === null || inOrder(wheel.cuda, row.lastToolkit));
        expect(ok, `${wheel.torch} ${wheel.variant} ${capability}`).toBe(true);
      }
    }
  });

  test('the default of a torch release is the wheel that is marked so', () => {
    for (const row of knowledge.torchDefaults) {
      const marked = knowledge.torchWheels.filter((each) => each.torch === row.torch && each.default === true);
      expect(
        marked.map((each) => each.cuda),
        row.torch,
      ).toEqual([row.cuda]);
    }
  });

  test('libraries that torch pins are known releases', () => {
    const nccl = new Set(knowledge.ncclReleases.map((row) => row.version));
    const cudnn = new Set(knowledge.cudnnReleases.map((row) => row.version));
    const unknown = knowledge.torchWheels.flatMap((row) => [
      ...(row.nccl !== null && !nccl.has(row.nccl) ? [`nccl ${row.nccl}`] : []),
      ...(row.cudnn !== null && !cudnn.has(row.cudnn) ? [`cudnn ${row.cudnn}`] : []),
    ]);
    expect(unknown).toEqual([]);
  });

  test('NGC tags are in order and of toolkits that exist, with the floor of their CUDA', () => {
    expect(ascending(knowledge.ngcTags.map((row) => row.tag))).toEqual([]);
    for (const row of knowledge.ngcTags) {
      const cuda = row.cuda.split('.').slice(0, 2).join('.');
      expect(cudas.has(cuda), row.tag).toBe(true);
      expect(row.mvcFloor, row.tag).toBe(floors.get(cuda));
      if (row.compatDriver !== null)
        expect(knowledge.branches.find((each) => each.branch === numbers(row.compatDriver!)[0])?.cuda, row.tag).toBe(
          cuda,
        );
    }
  });

  test('requirement strings begin with the CUDA of the image and name the listed branches', () => {
    for (const row of knowledge.requireCuda) {
      if (row.value === null) continue;
      const cuda = row.imageVersion.split('.').slice(0, 2).join('.');
      // Some releases spell the property in capitals, which makes it an unknown one.
      expect(row.value.toLowerCase().startsWith(`cuda>=${cuda}`), row.imageVersion).toBe(true);
      for (const branch of row.branches ?? []) expect(row.value, row.imageVersion).toContain(`driver>=${branch}`);
    }
  });

  test('a requirement that was not read as one string is unconfirmed', () => {
    for (const row of knowledge.requireCuda) expect(row.confirmed && !row.verbatim, row.imageVersion).toBe(false);
  });
});

describe('libraries', () => {
  test('cuDNN and NCCL releases are in order', () => {
    expect(ascending(knowledge.cudnnReleases.map((row) => row.version))).toEqual([]);
    expect(ascending(knowledge.ncclReleases.map((row) => row.version))).toEqual([]);
  });

  test('a range of cuDNN has drivers and GPUs for each build', () => {
    for (const row of knowledge.cudnnRanges) {
      for (const build of row.builds)
        expect(
          row.minDriver.some((each) => each.cudaMajor === build.cudaMajor),
          JSON.stringify(row.range),
        ).toBe(true);
      for (const each of [...row.minDriver, ...row.gpus])
        expect(row.builds.some((build) => build.cudaMajor === each.cudaMajor)).toBe(true);
    }
  });

  test('ranges begin before they end', () => {
    const ranges = [
      ...knowledge.cudnnRanges.map((row) => row.range),
      ...knowledge.cudnnBugs.map((row) => row.range),
      ...knowledge.ncclArchs.flatMap((row) => [row.range, row.cuda]),
      ...knowledge.ncclBugs.map((row) => row.range),
      ...knowledge.projectWheels.flatMap((row) => [row.range, ...row.cuda, ...row.nccl]),
    ];
    for (const range of ranges) {
      if (range.from !== null && range.below !== null)
        expect(inOrder(range.from, range.below) && range.from !== range.below, JSON.stringify(range)).toBe(true);
    }
  });
});

describe('error codes', () => {
  test('CUDA errors are in order and have a runtime or a driver name', () => {
    const codes = knowledge.cudaErrors.map((row) => row.code);
    expect(codes).toEqual([...codes].sort((a, b) => a - b));
    for (const row of knowledge.cudaErrors) expect(row.runtime ?? row.driver).not.toBeNull();
  });

  test.each([
    [35, 'driver', 'operator', false],
    [209, 'framework', 'developer', false],
    [700, 'application', 'developer', true],
    [802, 'fabric', 'operator', false],
    [803, 'driver', 'operator', false],
  ])('CUDA error %i is of layer %s and owner %s, sticky %s', (code, layer, owner, sticky) => {
    expect(knowledge.cudaErrors.find((row) => row.code === code)).toMatchObject({ layer, owner, sticky });
  });

  test('successes blame nobody', () => {
    for (const row of [...knowledge.cudaErrors, ...knowledge.libraryStatuses, ...knowledge.nvmlReturns]) {
      if (row.code === 0) expect(row.owner).toBe('none');
    }
  });
});

describe('Xids', () => {
  test('are 1 to 200, each with a meaning and an action', () => {
    expect(knowledge.xids.map((row) => row.code)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(knowledge.xids.filter((row) => row.action === '' || row.meaning === '').map((row) => row.code)).toEqual([]);
  });

  test('those that speak of a layer are of the class of that layer, or are NVLink', () => {
    for (const row of knowledge.xids) {
      const blames = ['application', 'driver', 'hardware', 'operator'].includes(row.class);
      expect(row.layer !== null, `Xid ${row.code}`).toBe(blames);
    }
  });

  test('a cause has the layer of its Xid', () => {
    for (const row of knowledge.xids) {
      if (row.cause === null) continue;
      const cause = knowledge.causes.find((each) => each.cause === row.cause)!;
      expect(cause.layer, `Xid ${row.code} ${row.cause}`).toBe(row.layer);
    }
  });

  test('only what was read in a catalogue or source is confirmed', () => {
    for (const row of knowledge.xids) expect(row.confirmed, `Xid ${row.code}`).toBe(row.evidence === 'confirmed');
  });

  test('NVLink 5 lines are decoded for each of their codes', () => {
    expect([...new Set(knowledge.nvlinkXids.map((row) => row.code))]).toEqual([144, 145, 146, 147, 148, 149, 150]);
    for (const row of knowledge.nvlinkXids) {
      expect(row.id, row.unit).toBeLessThan(128);
      expect(row.reason, row.unit).toBeLessThan(64);
      if (row.severity === 'fatal' && row.investigate === 'contact-support')
        expect(row.immediate, `${row.unit} ${row.status}`).toBe('reset-gpu');
    }
  });

  test('SXids are in order', () => {
    const codes = knowledge.sxids.map((row) => row.code);
    expect(codes).toEqual([...codes].sort((a, b) => a - b));
  });
});

describe('what is not certain is marked', () => {
  test.each([
    ['CUDA 13.5 of branch 620', () => knowledge.branches.find((row) => row.branch === 620)?.confirmedFields.cuda],
    ['toolkit 13.5', () => knowledge.toolkits.find((row) => row.cuda === '13.5')?.confirmed],
    [
      'the Windows floor of 13.0',
      () => knowledge.toolkits.find((row) => row.label === '13.0 GA')?.confirmedFields.runFloorWindows,
    ],
    ['branch 615 as open only', () => knowledge.branches.find((row) => row.branch === 615)?.confirmedFields.openModule],
    ['compute capability 8.8', () => knowledge.architectures.find((row) => row.computeCapability === '8.8')?.confirmed],
    ['torch 2.15', () => knowledge.torchWheels.find((row) => row.torch === '2.15')?.confirmed],
    ['cuDNN 9.18 and later', () => knowledge.cudnnRanges.at(-1)?.confirmed],
    ['libraries of NGC 25.01', () => knowledge.ngcTags.find((row) => row.tag === '25.01')?.confirmedFields.libraries],
    ['SMs of an H200', () => knowledge.gpus.find((row) => row.name === 'H200')?.confirmedFields.sms],
    ['numbers of cuDNN 8 statuses', () => knowledge.libraryStatuses.find((row) => row.library === 'cudnn8')?.confirmed],
    ['Xid 173', () => knowledge.xids.find((row) => row.code === 173)?.confirmed],
  ])('%s', (_what, confirmed) => {
    expect(confirmed()).toBe(false);
  });
});
