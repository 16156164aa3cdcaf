import { compareCudaMinor, formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import { driverLabel } from '../host-driver.ts';
import type { Claim } from './claim-parts.ts';
import { isDenied, isNegated } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';

/** How people call the features of NCCL that wait for a driver; the narrow before the wide. */
const names: readonly (readonly [string, RegExp])[] = [
  ['dma-buf', /\bdma-?buf\b/],
  ['cumem-host', /\bcumem\b[^,;]{0,20}\bhost\b|\bhost\b[^,;]{0,20}\bcumem\b|\bnccl_cumem_host_enable\b/],
  ['cumem', /\bnvls\b|\bnvlink sharp\b|\bmulti-?node nvlink\b|\bmnnvl\b|\bcumem\b/],
  ['sync-domains', /\bsync(?:hroni[sz]ation)? domains?\b/],
  ['launch-completion', /\blaunch completion\b/],
  ['copy-engine-batch', /\bbatched cop(?:y|ies)\b/],
  ['copy-engine', /\bone-sided\b|\bcopy[- ]engines?\b/],
];

/** `NVLS needs a driver that reports CUDA 12.0`, `DMA-BUF works with NCCL on 510`. */
export function ncclGateClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const id = names.find(([, pattern]) => pattern.test(all))?.[0];
  const row = claim.tables.knowledge.ncclGates.find((one) => one.id === id);
  const least = row?.minDriverCuda == null ? null : parseCuda(row.minDriverCuda);
  if (row === undefined || least === null || !row.confirmed) return null;
  // A release of NCCL with a fault is another matter.
  if (claim.nccl !== null || /\b(?:invalid argument|hangs?|fault|bug)\b/.test(all)) return null;
  const gate = `${row.feature}: from a driver that serves CUDA ${row.minDriverCuda ?? ''} on`;
  const needs =
    /\b(?:needs?|requires?|required|minimum|at least|must|demands?|waits for|only (?:on|with|from)|from|since|starts? (?:with|at|on)|begins? (?:with|at)|comes? with|available|switch(?:es|ed)? on)\b/.test(
      main,
    );
  const [phrase] = claim.drivers;
  if (phrase?.driver.serves != null && phrase.reach !== 'older' && phrase.reach !== 'up-to') {
    const reached = (compareCudaMinor(phrase.driver.serves, least) ?? -1) >= 0;
    if (needs && phrase.reach === 'from') return null;
    const host = `${driverLabel(phrase.driver)} serves ${formatCudaMinor(phrase.driver.serves)}`;
    // What is there by the gate alone can still wait for the open modules.
    const open = id !== 'dma-buf' || /\bopen\b/.test(all);
    return answer(
      truth(
        reached ? (open ? true : 'depends') : false,
        'nccl',
        `${gate}; ${host}`,
        row.sources,
        'the open kernel modules',
      ),
      isDenied(main),
    );
  }
  const cuda = claim.smiCuda ?? claim.cudas[0];
  if (cuda == null || !needs) return null;
  const same = cuda.major === least.major && (cuda.minor === null ? least.minor === 0 : cuda.minor === least.minor);
  return answer(truth(same, 'nccl', gate, row.sources), isNegated(main));
}
