import { formatCudaMinor } from '../../versions/cuda.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { compatOfPackage, forwardCompatSteps } from '../forward-compat.ts';
import { gpuSupportStep } from '../gpu-support.ts';
import type { Claim } from './claim-parts.ts';
import { isDenied, says } from './claim-text.ts';
import { subjectOf } from './topic-run.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

const because = 'forward-compat';
const restsOn = ['cuda-forward-compat'];

/** A statement about one package, driver or GPU that the tables decide. */
export function onHost(claim: Claim): ClaimVerdict | null {
  const { main, all } = claim.text;
  const tables = claim.tables;
  const [phrase] = claim.drivers;
  const [gpus] = claim.gpus;
  const cuda = claim.cudas[0] ?? subjectOf(claim)?.cuda?.low;
  const name = claim.compatPackage ?? packageFor(cuda, phrase?.driver.branch?.branch, tables);
  const compat = name === null ? null : compatOfPackage(name);
  if (phrase === undefined || phrase.reach === 'older' || phrase.reach === 'up-to') return null;
  const gpu = gpus?.[0] ?? null;
  // `needs at least R535 as a base`: the lowest branch of the matrix.
  const bases = [...tables.matrix.values()].find((row) => row.package === claim.compatPackage)?.bases ?? [];
  const lowest = Math.min(...bases.filter((base) => base.pairing === 'compatible').map((base) => base.branch));
  if (
    bases.length > 0 &&
    /\b(?:needs?|requires?|at least|minimum|lowest|oldest)\b/.test(main) &&
    /\bbase\b|\bat least\b|\bor (?:newer|later)\b|\bminimum\b|\blowest\b|\boldest\b/.test(main)
  )
    return answer(
      truth(
        lowest === phrase.driver.version.branch,
        because,
        `R${lowest} is the oldest base of ${claim.compatPackage ?? ''}`,
        restsOn,
      ),
      isDenied(main),
    );
  const denies =
    isDenied(main) !==
    /\b(?:803|804|pointless|unnecessary|needless|mismatch|trouble|(?<!\b(?:no|any|without|an?) )errors?|(?:leads? to|ends? in|gives?|causes?|raises?|brings?) (?:an? )?errors?)\b/.test(
      main,
    );
  const driven = gpu === null ? null : gpuSupportStep(gpu, phrase.driver, tables);
  if (driven?.holds === false)
    return answer(truth(false, 'gpu-driver-support', driven.message, driven.restsOn), denies);
  if (compat === null) return null;
  const [first, second] = forwardCompatSteps(compat, gpu, phrase.driver, tables);
  const steps = [first, second].filter((step) => step !== undefined);
  const failed = steps.find((step) => step.holds === false);
  if (failed !== undefined) return answer(truth(false, because, failed.message, failed.restsOn), denies);
  const pair = second ?? first;
  if (pair?.holds == null)
    return answer(truth('depends', because, pair?.message ?? '', pair?.restsOn ?? [], pair?.open?.needs), false);
  if (gpu !== null && first?.holds === null)
    return answer(truth('depends', because, first.message, first.restsOn, 'whether the board is listed'), false);
  if (
    /\b(?:need(?:s|ed)?|requires?|required|necessary|must|has to|have to|without)\b/.test(main) &&
    !/\brun|\bwork|\bsupport/.test(main)
  )
    return null;
  // Of the branch of the driver: it does no harm, and brings nothing.
  if (
    /\bnot needed$/.test(pair.message) &&
    /\bnewer\b|\b(?:of|any) (?:any |some |no |real )?use\b|\b(?:useful|helps?|gains?|benefits?|advantage|buys?|adds?|worth)\b/.test(
      main,
    )
  )
    return answer(truth(false, because, pair.message, pair.restsOn), isDenied(main));
  // That programs run is said, and not that the pair is listed: then the class of the GPU decides too.
  if (
    gpu === null &&
    !says(all, word.geforce) &&
    !says(all, word.datacenter) &&
    !isDenied(main) &&
    /\b(?:programs?|apps?|applications?|containers?|jobs?|builds?|wheels?|software|images?|workloads?)\b/.test(main) &&
    /\b(?:makes?|lets?|runs?|enough|allows?|enables?|gets?|able|start|works?|suffices?|ready|fit)\b/.test(main)
  )
    return answer(
      truth(
        'depends',
        because,
        `${pair.message}; only GPUs that may use compat libraries run`,
        pair.restsOn,
        'the GPU class',
      ),
      false,
    );
  if (says(all, word.geforce) && gpu === null)
    return answer(truth(false, because, 'GeForce boards may not use compat libraries', restsOn), denies);
  return answer(truth(true, because, pair.message, pair.restsOn), denies);
}

/** The package of a CUDA version; of a CUDA major, one that the base branch is listed for. */
function packageFor(cuda: CudaVersion | undefined, branch: number | undefined, tables: Claim['tables']): string | null {
  if (cuda === undefined) return null;
  if (cuda.minor !== null) return `cuda-compat-${formatCudaMinor(cuda).replace('.', '-')}`;
  const rows = [...tables.matrix.values()].filter((row) => row.cuda.startsWith(`${cuda.major}.`));
  return (
    (rows.find((row) => row.bases.some((base) => base.branch === branch && base.pairing === 'compatible')) ?? rows[0])
      ?.package ?? null
  );
}
