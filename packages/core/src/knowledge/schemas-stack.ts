import { z } from 'zod';
import {
  cited,
  line,
  ruleFields,
  prose,
  note,
  dotted,
  capability,
  day,
  id,
  whole,
  count,
  bool,
  list,
  range,
  layer,
  owner,
  arch,
  gpuClass,
} from './schemas-shared.ts';
import type { RowSchemas } from './schemas-shared.ts';
import type * as architecture from './architectures.types.ts';
import type * as branch from './branches.types.ts';
import type { CauseRow } from './causes.types.ts';
import type * as compat from './forward-compat.types.ts';
import type * as toolkit from './toolkits.types.ts';

const cause: z.ZodType<CauseRow> = z.strictObject({
  cause: id,
  class: id,
  layer: layer.nullable(),
  owner,
  status: z.enum(['fault', 'performance', 'not-stack-fault', 'ok', 'cannot-tell']),
  meaning: prose,
});

const toolkitRow: z.ZodType<toolkit.ToolkitRow> = z.strictObject({
  label: line,
  cuda: dotted,
  version: dotted,
  update: whole,
  branch: count,
  runFloorLinux: dotted,
  runFloorWindows: dotted,
  runFloorRule: z.enum(['minor-version-compat', 'toolkit-driver']),
  packagedDriverLinux: dotted.nullable(),
  packagedDriverWindows: dotted.nullable(),
  matchingDriverSeen: dotted.nullable(),
  confirmedFields: z.strictObject({ runFloorWindows: bool, branch: bool }),
  note,
  ...cited,
});

const minorVersion: z.ZodType<toolkit.MinorVersionRow> = z.strictObject({
  major: count,
  fromMinor: count,
  toMinor: count.nullable(),
  allowed: bool,
  minDriverLinux: dotted,
  minDriverWindows: dotted,
  nextMajorFrom: dotted.nullable(),
  confirmedFields: z.strictObject({ minDriverWindows: bool }),
  note,
  ...cited,
});

const minorVersionCaveat: z.ZodType<toolkit.MinorVersionCaveatRow> = z.strictObject({
  id: z.enum(['new-feature', 'ptx', 'libs', 'too-old']),
  what: prose,
  errors: list(whole),
  ...cited,
});

const toolkitNote: z.ZodType<toolkit.ToolkitNoteRow> = z.strictObject({ ...ruleFields, since: dotted });

const branchRow: z.ZodType<branch.BranchRow> = z.strictObject({
  branch: count,
  cuda: dotted,
  kind: z.enum(['lts', 'production', 'new-feature', 'legacy']),
  firstRelease: day.nullable(),
  endOfLife: day.nullable(),
  endOfLifeBasis: z.enum(['vendor', 'derived']).nullable(),
  endOfLifeDerived: day.nullable(),
  endOfLifeConflict: note,
  lastKnown: dotted.nullable(),
  lastKnownDate: day.nullable(),
  windowsLatestKnown: dotted.nullable(),
  architectures: list(arch),
  openModule: z.enum(['none', 'optional', 'default', 'only']),
  confirmedFields: z.strictObject({ cuda: bool, openModule: bool }),
  releases: list(
    z.strictObject({ version: dotted, date: day.nullable(), vulkanBeta: z.literal(true).exactOptional() }),
  ),
  note,
  ...cited,
});

const architectureSpan: z.ZodType<branch.ArchitectureSpanRow> = z.strictObject({
  architecture: arch,
  minSm: count,
  maxSm: count,
  firstBranch: count.nullable(),
  lastBranch: count.nullable(),
  lastToolkit: dotted.nullable(),
  note,
  ...cited,
});

const moduleFlavour: z.ZodType<branch.ModuleFlavourRow> = z.strictObject({
  architecture: arch,
  products: list(line).nullable(),
  fromBranch: count.nullable(),
  toBranch: count.nullable(),
  flavours: z.enum(['open-only', 'proprietary-only', 'either']),
  ...cited,
});

const openModuleRule: z.ZodType<branch.OpenModuleRuleRow> = z.strictObject({
  ...ruleFields,
  fromBranch: count.nullable(),
});

const compatMatrix: z.ZodType<compat.CompatMatrixRow> = z.strictObject({
  package: line,
  cuda: dotted,
  bases: list(z.strictObject({ branch: count, pairing: z.enum(['compatible', 'same-pairing', 'not-provided']) })),
  captured: day,
  ...cited,
});

const compatHistoric: z.ZodType<compat.CompatHistoricRow> = z.strictObject({
  package: line,
  cuda: dotted,
  bases: list(z.strictObject({ branch: count, from: dotted, endOfLife: bool })),
  notBases: list(count),
  ...cited,
});

const compatPackage: z.ZodType<compat.CompatPackageRow> = z.strictObject({
  package: line,
  cuda: dotted,
  toolkit: dotted.nullable(),
  driver: dotted.nullable(),
  platform: z.enum(['server', 'jetson-orin']),
  ...cited,
});

const compatClass: z.ZodType<compat.CompatClassRow> = z.strictObject({
  class: gpuClass,
  status: z.enum(['allowed', 'conditional', 'not-allowed']),
  condition: note,
  error: whole.nullable(),
  ...cited,
});

const compatError: z.ZodType<compat.CompatErrorRow> = z.strictObject({
  code: whole,
  driver: line.nullable(),
  runtime: line,
  meaning: prose,
  ...cited,
});

const compatFeature: z.ZodType<compat.CompatFeatureRow> = z.strictObject({
  id,
  feature: line,
  withCompat: z.enum(['yes', 'no', 'host']),
  note,
  ...cited,
});

const compatFile: z.ZodType<compat.CompatFileRow> = z.strictObject({
  pattern: line,
  since: dotted.nullable(),
  ...cited,
});

const compatNote: z.ZodType<compat.CompatNoteRow> = z.strictObject({
  libcuda: line,
  cuda: dotted,
  drivers: list(count).nullable(),
  ...cited,
});

const toolkitOption: z.ZodType<compat.ToolkitOptionRow> = z.strictObject({
  option: line,
  value: line.nullable(),
  versions: range,
  what: prose,
  ...cited,
});

const pageCheck: z.ZodType<compat.PageCheckRow> = z.strictObject({
  id,
  rule: line,
  pageSays: prose,
  sourcesSay: prose,
  verdict: z.enum(['right', 'incomplete', 'wrong']),
  ...cited,
});

const architectureRow: z.ZodType<architecture.ArchitectureRow> = z.strictObject({
  computeCapability: capability,
  sm: count,
  architecture: arch,
  variant: line.nullable(),
  products: z.strictObject({
    dataCenter: list(line),
    workstation: list(line),
    consumer: list(line),
    embedded: list(line),
  }),
  firstToolkit: dotted,
  lastToolkit: dotted.nullable(),
  firstBranch: count.nullable(),
  lastBranch: count.nullable(),
  tegra: bool,
  suffixTargets: list(line),
  minPtxIsa: z.strictObject({ base: dotted, a: dotted, f: dotted.nullable() }).nullable(),
  confirmedFields: z.strictObject({ firstBranch: bool }),
  note,
  ...cited,
});

const gpu: z.ZodType<architecture.GpuRow> = z.strictObject({
  name: line,
  aliases: list(line),
  computeCapability: capability,
  class: gpuClass,
  sms: count.nullable(),
  form: line.nullable(),
  nvswitch: bool,
  mig: bool,
  laptop: bool,
  confirmedFields: z.strictObject({ computeCapability: bool, sms: bool }),
  ...cited,
});

const ptxIsa: z.ZodType<architecture.PtxIsaRow> = z.strictObject({ cuda: dotted, ptxIsa: dotted, ...cited });
const cutoff: z.ZodType<architecture.CutoffRow> = z.strictObject({ cuda: dotted, dropped: list(capability), ...cited });

/** Shapes of the tables of causes, toolkits, drivers, compat packages and GPUs. */
export const stackSchemas: RowSchemas = {
  causes: cause,
  toolkits: toolkitRow,
  'minor-version': minorVersion,
  'minor-version-caveats': minorVersionCaveat,
  'toolkit-notes': toolkitNote,
  branches: branchRow,
  'architecture-spans': architectureSpan,
  'module-flavours': moduleFlavour,
  'open-module-rules': openModuleRule,
  'compat-matrix': compatMatrix,
  'compat-historic': compatHistoric,
  'compat-packages': compatPackage,
  'compat-classes': compatClass,
  'compat-errors': compatError,
  'compat-features': compatFeature,
  'compat-files': compatFile,
  'compat-notes': compatNote,
  'toolkit-options': toolkitOption,
  'page-checks': pageCheck,
  architectures: architectureRow,
  gpus: gpu,
  'ptx-isa': ptxIsa,
  cutoffs: cutoff,
};
