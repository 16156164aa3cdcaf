import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { jetson } from './_build.ts';

/** L4T series: its JetPack and the CUDA and cuDNN majors that come with it (NVIDIA's JetPack archive). */
const series: Readonly<
  Record<string, { readonly jetpack: string; readonly cuda: string; readonly cudnn: readonly string[] }>
> = {
  '32': { jetpack: '4', cuda: '10', cudnn: ['7', '8'] },
  '35': { jetpack: '5', cuda: '11', cudnn: ['8'] },
  '36': { jetpack: '6', cuda: '12', cudnn: ['8', '9'] },
  '38': { jetpack: '7', cuda: '13', cudnn: ['9'] },
};

/** Python of each JetPack's system, as in a wheel's tag. */
const pythons: Readonly<Record<string, string>> = { '4': '36', '5': '38', '6': '310', '7': '312' };

/** CUDA major that a library name belongs to; null where a name tells none. */
function cudaOfSoname(soname: string): string | null {
  const match =
    /^lib(cudart|cublas|cublasLt|nvrtc|cusparse|cusolver|nppc|cufft|curand|nvToolsExt)\.so\.(\d{1,2})(?:\.\d{1,2})?/.exec(
      soname,
    );
  if (match === null) return null;
  const [, name, major] = match as unknown as [string, string, string];
  if (/^(?:cudart|cublas|cublasLt|nvrtc|nppc)$/.test(name)) return major;
  // The others keep a major of their own: cuFFT 10 serves CUDA 10 and 11, cuSPARSE 11 and 12 their own.
  return name === 'cusparse' && major !== '10' ? major : null;
}

/** CUDA major behind NVIDIA's wheel tag; null between the series, where it is not certain. */
function cudaOfTag(year: number, month: number): string | null {
  const at = year * 12 + month;
  if (at < 22 * 12) return '10';
  if (at <= 23 * 12 + 6) return '11';
  return at >= 24 * 12 ? '12' : null;
}

export const jetsonWheelForOtherJetpack: Rule = defineRule({
  id: 'framework/jetson-wheel-for-other-jetpack',
  summary: 'The wheel was built for another JetPack',
  needs: [],
  anyOf: ['os.l4t', 'os.platform', 'os.kernel', 'gpu.name'],
  uses: [
    'torch.version',
    'torch.cuda',
    'loader.resolved',
    'said.ld-missing-cuda-runtime-lib',
    'said.wheel-platform-refused',
    'said.arm-wheel-refused',
    'package',
  ],
  citations: ['jetson-pytorch', 'jetpack-archive'],
  explains: [
    'said.arm-wheel-refused',
    'said.ld-*',
    'said.cudnn*',
    'application/application-exception',
    'said.wheel-platform-refused',
    'toolkit/*',
    'framework/wheel-needs-newer-glibc',
    'host-os/*',
    'cudnn/*',
  ],
  check(_facts, context) {
    const board = jetson(context);
    if (board === undefined) return { kind: 'silent' };
    const release = own(context, 'os.l4t')[0];
    const here = release === undefined ? undefined : series[release.value.slice(0, 2)];
    const absent = own(context, 'loader.resolved').filter((fact) => fact.value.path === null);
    const library =
      absent.find((fact) => cudaOfSoname(fact.value.soname) !== null) ??
      absent.find(
        (fact) =>
          /^libcudnn\.so\.\d/.test(fact.value.soname) ||
          /^libmpi_cxx|^libopenblas|^libnvToolsExt|^libcusparseLt|^libcu/.test(fact.value.soname),
      );
    const wheels = [
      ...own(context, 'torch.version').map((fact) => ({ fact, text: fact.value })),
      ...own(context, 'package')
        .filter((fact) => /^(?:torch|tensorflow|torchvision|onnxruntime-gpu)$/.test(fact.value.name))
        .map((fact) => ({ fact, text: fact.value.version })),
      ...said(context, 'wheel-platform-refused').map((fact) => ({ fact, text: fact.seen[0]?.text ?? '' })),
    ];
    const tagged = wheels.flatMap((each) => {
      const match = /\bnv(\d{2})\.(\d{1,2})\b/.exec(each.text);
      const cuda = match === null ? null : cudaOfTag(Number(match[1]), Number(match[2]));
      return match === null ? [] : [{ ...each, tag: `nv${match[1]!}.${match[2]!}`, cuda }];
    });
    const torchCuda = own(context, 'torch.cuda').find((fact) => fact.value !== null);
    const remedies = [
      {
        actor: 'developer',
        do: `take the wheel for ${here === undefined ? 'the JetPack of this board' : `JetPack ${here.jetpack}`}`,
        command: 'https://developer.download.nvidia.com/compute/redist/jp/   # folder of your JetPack',
      },
      { actor: 'node-admin', do: 'or bring the board to the JetPack of the wheel' },
    ] as const;
    const wanted = library === undefined ? null : cudaOfSoname(library.value.soname);
    if (here !== undefined && library !== undefined && wanted !== null && wanted !== here.cuda) {
      return {
        kind: 'fault',
        certainty: byPrint(library, release),
        message: `the wheel needs ${library.value.soname} of CUDA ${wanted}, but L4T ${release!.value} has CUDA ${here.cuda}`,
        seen: seen(library, release, tagged[0]?.fact),
        remedies,
        weight: 5,
      };
    }
    const cudnn = library === undefined ? undefined : /^libcudnn\.so\.(\d)/.exec(library.value.soname)?.[1];
    if (here !== undefined && cudnn !== undefined && (!here.cudnn.includes(cudnn) || here.cudnn.length > 1)) {
      return {
        kind: 'fault',
        certainty: here.cudnn.includes(cudnn) ? 'likely' : byPrint(library, release),
        message: `the wheel needs cuDNN ${cudnn}, which the JetPack of L4T ${release!.value} does not bring`,
        seen: seen(library, release),
        remedies,
        weight: 4,
      };
    }
    const other = tagged.find((each) => here !== undefined && each.cuda !== null && each.cuda !== here.cuda);
    if (other !== undefined && here !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(other.fact, release),
        message: `the wheel ${other.tag} is for CUDA ${other.cuda!}, but L4T ${release!.value} has CUDA ${here.cuda}`,
        seen: seen(library, other.fact, release),
        remedies,
        weight: 4,
      };
    }
    if (
      here !== undefined &&
      torchCuda !== undefined &&
      torchCuda.value!.split('.')[0] !== here.cuda &&
      own(context, 'torch.cuda-available').some((fact) => !fact.value)
    ) {
      return {
        kind: 'fault',
        certainty: byPrint(torchCuda, release),
        message: `torch was built for CUDA ${torchCuda.value!}, but L4T ${release!.value} has CUDA ${here.cuda}`,
        seen: seen(torchCuda, release),
        remedies,
        weight: 4,
      };
    }
    if (library !== undefined && here === undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the wheel needs ${library.value.soname}, which this Jetson does not have`,
        seen: seen(library, board),
        remedies,
        missing: [missing('os.l4t', 'cat /etc/nv_tegra_release; dpkg -l | grep nvidia-l4t-core')],
        weight: 3,
      };
    }
    if (tagged.length > 0 && here !== undefined)
      return {
        kind: 'cleared',
        because: `the wheel ${tagged[0]!.tag} is for this JetPack`,
        seen: seen(tagged[0]!.fact, release),
      };
    if (library !== undefined && /^lib(?:mpi_cxx|openblas|cusparseLt)/.test(library.value.soname)) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the wheel needs ${library.value.soname}, which this JetPack does not bring`,
        seen: seen(library, board),
        remedies,
        missing: [missing('torch.version', 'pip3 show torch; cat /etc/nv_tegra_release')],
        weight: 2,
      };
    }
    const refused = said(context, 'arm-wheel-refused')[0];
    const python = refused?.value.captures['python'];
    if (
      refused !== undefined &&
      here !== undefined &&
      python !== undefined &&
      pythons[here.jetpack] !== undefined &&
      pythons[here.jetpack] !== python
    ) {
      return {
        kind: 'fault',
        certainty: byPrint(refused, release),
        message: `the wheel is for Python 3.${python.slice(1)}, but JetPack ${here.jetpack} has Python 3.${pythons[here.jetpack]!.slice(1)}`,
        seen: seen(refused, release),
        remedies,
        weight: 4,
      };
    }
    if (refused !== undefined || said(context, 'wheel-platform-refused').length > 0)
      return { kind: 'unknown', missing: [missing('os.l4t', 'cat /etc/nv_tegra_release; python3 --version')] };
    return { kind: 'silent' };
  },
});
