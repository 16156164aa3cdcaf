import type { Evidence } from '../model/document.ts';
import type { Fact, FactId, SaidId } from '../model/facts.ts';
import type { Missing, Outcome, Rule, RuleContext } from '../model/rule.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { FactStore } from './fact-store.ts';
import type { Job } from './ranks.ts';

export interface Answered {
  readonly rule: Rule;
  readonly outcome: Outcome;
  /** True when a fact that the outcome quotes was only told. */
  readonly told: boolean;
  /** Place in the input of the first fact that the rule asked for. */
  readonly order: number;
}

/** The facts of a store as rules see them; of a job of several processes, the exceptions of the one that failed first. */
export function contextOf(store: FactStore, knowledge: Knowledge, job: Job | null = null): RuleContext {
  const all = new Map<FactId, readonly Fact[]>();
  const every = <Id extends FactId>(id: Id): readonly Fact<Id>[] => {
    let facts = all.get(id);
    if (facts === undefined) {
      facts = store.all(id);
      if (id === 'program.exception' && job !== null) facts = job.own(facts as readonly Fact<'program.exception'>[]);
      all.set(id, facts);
    }
    return facts as readonly Fact<Id>[];
  };
  const said = store
    .ids()
    .filter((id): id is SaidId => id.startsWith('said.'))
    .flatMap((id) => every(id))
    .sort((a, b) => a.order - b.order);
  return { knowledge, all: every, first: (id) => every(id)[0], said };
}

/**
 * Asks one rule.
 * @returns null where the rule has nothing to do with this input
 */
export function ask(rule: Rule, context: RuleContext): Answered | null {
  const facts: Record<string, Fact> = {};
  const missing: string[] = [];
  let some = false;
  let order = Number.POSITIVE_INFINITY;
  const take = (id: FactId): boolean => {
    const fact = context.first(id);
    if (fact === undefined) return false;
    facts[id] = fact;
    order = Math.min(order, fact.order);
    return true;
  };
  for (const id of rule.needs) {
    if (take(id)) some = true;
    else missing.push(id);
  }
  if (rule.anyOf !== undefined && rule.anyOf.length > 0) {
    let any = false;
    for (const id of rule.anyOf) if (take(id)) any = true;
    if (!any) return null;
    some = true;
  }
  if (!some && rule.needs.length > 0) return null;
  for (const id of rule.uses ?? []) take(id);
  if (missing.length > 0) {
    return { rule, outcome: { kind: 'unknown', missing: missing.map(askFor) }, told: false, order };
  }
  const outcome = rule.check(facts as never, context);
  if (outcome.kind === 'silent') return null;
  const told = outcome.kind === 'fault' && quotesTold(outcome.seen, facts, context);
  return { rule, outcome, told, order: firstLine(outcome, order) };
}

function firstLine(outcome: Outcome, order: number): number {
  return outcome.kind === 'fault' || outcome.kind === 'cleared' ? order : Number.POSITIVE_INFINITY;
}

/** True when evidence stands only in facts that were told: it can then be at most `likely`. */
function quotesTold(seen: readonly Evidence[], facts: Readonly<Record<string, Fact>>, context: RuleContext): boolean {
  const told = new Set<Evidence>();
  const printed = new Set<Evidence>();
  for (const id of Object.keys(facts)) {
    for (const fact of context.all(id as FactId)) for (const each of fact.seen) (fact.told ? told : printed).add(each);
  }
  return seen.some((each) => told.has(each) && !printed.has(each)) || seen.every((each) => isRemarkText(each.text));
}

function isRemarkText(text: string): boolean {
  return text.startsWith('# ');
}

/** The command that shows a fact. */
export function askFor(fact: string): Missing {
  return { fact, ask: commandsFor[fact] ?? 'culprit check' };
}

/** One exact command for each fact that a reader can be asked for. */
export const commandsFor: Readonly<Record<string, string>> = {
  'driver.version': 'nvidia-smi --query-gpu=driver_version,name --format=csv,noheader',
  'driver.module': 'cat /proc/driver/nvidia/version',
  'driver.library': 'ldconfig -p | grep -E "libcuda.so|libnvidia-ml.so"; ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.*',
  'driver.module-file': 'modinfo -F version nvidia',
  'driver.cuda': 'nvidia-smi | grep "CUDA Version"',
  'driver.flavour': 'modinfo -F license nvidia',
  'modules.loaded': 'lsmod | grep -E "nvidia|nouveau"',
  'devices.listed': 'ls -l /dev/nvidia*',
  'secure-boot': 'mokutil --sb-state',
  'gpu.name': 'nvidia-smi -L',
  'gpu.compute-capability': 'nvidia-smi --query-gpu=name,compute_cap --format=csv',
  'gpu.mig-device': 'nvidia-smi -L',
  'gpu.processes': 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv',
  'gpu.holders': 'fuser -v /dev/nvidia*',
  'gpu.compute-mode': 'nvidia-smi --query-gpu=index,compute_mode --format=csv',
  'gpu.xid': 'dmesg -T | grep -E "NVRM: Xid|SXid"',
  'gpu.fabric-state': 'nvidia-smi -q | grep -A2 -i fabric',
  'os.service': 'systemctl status nvidia-fabricmanager',
  'os.glibc': 'ldd --version | head -n 1',
  'os.arch': 'uname -m',
  'os.kernel': 'uname -r',
  'os.shm-mib': 'df -h /dev/shm',
  'os.memlock-kib': 'ulimit -l',
  'pci.acs-redirect': 'lspci -vvv | grep -i ACSCtl',
  'toolkit.nvcc': 'nvcc --version',
  'toolkit.runtime': 'python -c "import torch; print(torch.version.cuda)"',
  'toolkit.installed': 'cat /usr/local/cuda/version.json',
  'torch.version': 'python -m torch.utils.collect_env',
  'torch.cuda': 'python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"',
  'torch.arch-list': 'python -c "import torch; print(torch.cuda.get_arch_list())"',
  package: 'pip list | grep -iE "torch|nvidia|jax|tensorflow|cupy|triton|flash|xformers|vllm"',
  'cudnn.loaded': 'python -c "import torch; print(torch.backends.cudnn.version())"',
  'nccl.version': 'python -c "import torch; print(torch.cuda.nccl.version())"',
  'loader.resolved': 'ldd LIBRARY | grep -iE "cuda|cudnn|nccl|nvjitlink|cublas"',
  'loader.loads': 'culprit check --inventory',
  'loader.cache': 'ldconfig -p | grep -iE "libcuda|cudnn|nccl|nvjitlink"',
  env: 'env | grep -E "CUDA|NVIDIA|NCCL|LD_LIBRARY_PATH|LD_PRELOAD"',
  'container.toolkit-version': 'nvidia-ctk --version; nvidia-container-cli --version',
  'container.default-runtime': 'docker info | grep -i runtime',
  'image.requirement': 'docker inspect IMAGE --format "{{json .Config.Env}}"',
};
