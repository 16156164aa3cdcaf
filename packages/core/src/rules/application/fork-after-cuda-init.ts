import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const forkAfterCudaInit: Rule = defineRule({
  id: 'application/fork-after-cuda-init',
  summary: 'CUDA is used in a process that was forked after CUDA was initialised',
  needs: [],
  anyOf: ['said.pt-forked-reinit', 'said.app-forked-after-cuda', 'said.cuda-initialization-error'],
  citations: ['pytorch-multiprocessing', 'cuda-runtime-types'],
  explains: ['application/application-exception', 'said.pt-*', 'said.cuda-initialization-error'],
  check(facts, context) {
    const forked = facts['said.pt-forked-reinit'] ?? facts['said.app-forked-after-cuda'];
    const initialisation = facts['said.cuda-initialization-error'];
    if (forked !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: 'the program uses CUDA in a forked process whose parent has already initialised it',
        seen: forked.seen,
        remedies: [
          {
            actor: 'developer',
            do: 'start the workers with the spawn method, before anything touches the GPU',
            command: "multiprocessing.set_start_method('spawn')",
          },
          {
            actor: 'developer',
            do: 'or keep GPU work out of the workers: load on the CPU there, move to the GPU in the parent',
          },
        ],
        weight: 2,
      };
    }
    const worker = context.first('said.info-python-worker');
    if (worker !== undefined && initialisation !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'CUDA fails to initialise in a worker process, as it does after a fork',
        seen: [...initialisation.seen.slice(0, 2), ...worker.seen.slice(0, 1)],
        remedies: [{ actor: 'developer', do: 'start the workers with the spawn method' }],
        missing: [{ fact: 'how the workers are started', ask: 'grep -rnE "set_start_method|Pool\\(|Process\\(" .' }],
        weight: 1,
      };
    }
    const workers = context
      .all('program.exception')
      .find((fact) => /worker|fork|multiprocessing/i.test(fact.value.message));
    if (workers !== undefined && initialisation !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'CUDA failed to initialise in a worker process, as it does after a fork',
        seen: [...initialisation.seen, ...workers.seen],
        remedies: [{ actor: 'developer', do: 'start the workers with the spawn method' }],
        missing: [
          { fact: 'how the workers are started', ask: 'grep -rnE "set_start_method|num_workers|os.fork|Process\\(" .' },
        ],
        weight: -1,
      };
    }
    return { kind: 'cleared', because: 'nothing says that the process was forked', seen: initialisation?.seen ?? [] };
  },
});
