import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { byPrint, seen } from '../container-runtime/_container.ts';
import { majorOf } from './_frameworks.ts';
import { checksDriverItself, isImageInventory, scanOf, variableIn } from './_scan.ts';

// What the configuration of an image asks of a node, against what is in the image.

/** NVIDIA_DRIVER_CAPABILITIES without compute; null where the input is no inventory. */
export function capabilitiesInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const variable = variableIn(context, 'NVIDIA_DRIVER_CAPABILITIES');
  const words =
    variable?.value.value
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '') ?? [];
  // Unset and empty both mean utility and compute.
  if (variable === undefined || words.length === 0) return { kind: 'silent' };
  if (words.includes('all') || words.includes('compute'))
    return { kind: 'cleared', because: 'the image asks for the compute libraries of the driver', seen: seen(variable) };
  const content = cudaContent(context)[0];
  if (content === undefined) return { kind: 'silent' };
  return {
    kind: 'fault',
    certainty: byPrint(variable, content.fact),
    message: `NVIDIA_DRIVER_CAPABILITIES is "${variable.value.value}", without compute, which brings libcuda for ${content.what}`,
    seen: seen(variable, content.fact),
    remedies: [
      { actor: 'image-owner', do: 'name compute, too', command: 'ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility' },
    ],
    weight: 3,
  };
}

interface Content {
  readonly fact: Fact;
  readonly what: string;
  readonly major: number;
}

/** Frameworks and toolkits of the image with their CUDA major, the highest first. */
function cudaContent(context: RuleContext): readonly Content[] {
  const contents: Content[] = [];
  for (const fact of context.all('image.package')) {
    const major = majorOf(fact);
    const { name, version, manager } = fact.value;
    if (major === null || (manager !== 'pip' && manager !== 'conda') || /^nvidia-|^cuda-/.test(name)) continue;
    contents.push({ fact, what: `${name} ${version ?? ''} (CUDA ${fact.value.cuda ?? ''})`, major });
  }
  for (const fact of context.all('image.toolkit')) {
    const major = Number(/^\d{1,2}/.exec(fact.value.version)?.[0] ?? Number.NaN);
    if (Number.isFinite(major)) contents.push({ fact, what: `the CUDA ${fact.value.version} toolkit`, major });
  }
  return contents.sort((a, b) => b.major - a.major);
}

/** The CUDA floor that the image declares is of an older major than its content; null where the input is no inventory. */
export function gateInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const variable = variableIn(context, 'NVIDIA_REQUIRE_CUDA');
  const floor = /\bcuda>=(\d{1,2})(?:\.(\d{1,2}))?/.exec(variable?.value.value ?? '');
  if (variable === undefined || floor === null) return { kind: 'silent' };
  const [highest] = cudaContent(context);
  if (highest === undefined) return { kind: 'silent' };
  const declared = `cuda>=${floor[1]!}${floor[2] === undefined ? '' : `.${floor[2]}`}`;
  const own = checksDriverItself(context);
  if (highest.major > Number(floor[1]) && own !== undefined)
    return {
      kind: 'cleared',
      because: `the image declares ${declared} on purpose: its own start script checks the driver`,
      seen: seen(variable, own),
    };
  if (highest.major <= Number(floor[1]))
    return {
      kind: 'cleared',
      because: `the image declares ${declared}, and ${highest.what} is of no newer major release`,
      seen: seen(variable, highest.fact),
    };
  return {
    kind: 'fault',
    certainty: byPrint(variable, highest.fact),
    message: `the image declares ${declared}, but ${highest.what} in it needs CUDA ${highest.major}`,
    seen: seen(variable, highest.fact),
    remedies: [
      {
        actor: 'image-owner',
        do: 'raise the declared floor to what the packages in the image need, or build them for the declared CUDA',
        command: `ENV NVIDIA_REQUIRE_CUDA="cuda>=${highest.major}.0"`,
      },
      { actor: 'cluster-admin', do: 'until then place it on nodes with a driver for the newer CUDA' },
    ],
    weight: 3,
  };
}

const machines: Readonly<Record<string, string>> = {
  'linux/amd64': 'x86_64',
  'linux/arm64': 'aarch64',
  'linux/ppc64le': 'ppc64le',
};

/** Libraries of another CPU than the image says it is for; null where the input is no inventory. */
export function platformInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const scan = scanOf(context);
  const platform = scan?.value.platform.split('/').slice(0, 2).join('/') ?? '';
  const machine = machines[platform];
  const found = context
    .all('image.machine')
    .filter((fact) => fact.value.machine !== 'i386' && fact.value.machine !== 'other');
  if (scan === undefined || machine === undefined || found.length === 0) return { kind: 'silent' };
  const own = found.find((fact) => fact.value.machine === machine);
  const foreign = found.find((fact) => fact.value.machine !== machine);
  if (foreign === undefined)
    return { kind: 'cleared', because: `the libraries are for ${machine}, as the image says`, seen: seen(own) };
  return {
    kind: 'fault',
    certainty: own === undefined ? byPrint(scan, foreign) : 'possible',
    message:
      own === undefined
        ? `the image says it is for ${platform}, but its libraries are for ${foreign.value.machine}`
        : `${String(foreign.value.count)} libraries of an image for ${platform} are for ${foreign.value.machine}`,
    seen: seen(scan, foreign),
    remedies: [
      {
        actor: 'image-owner',
        do: 'build the image for the platform that it names, from a base and packages of that platform',
        command: `docker buildx build --platform ${platform} …`,
      },
    ],
    weight: 3,
  };
}
