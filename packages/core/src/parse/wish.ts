import type { Parser } from './parser.ts';

/*
 *   # the job asks for no GPU and runs on a CPU node
 *   $ python train.py --device cpu
 *   CUDA_VISIBLE_DEVICES=-1
 *   device: cpu
 */

const said =
  /\b(?:no nvidia\.com\/gpu in (?:its |the )?(?:resources|requests|limits)|node-?pool=cpu\b|no gpu (?:is |was )?(?:wanted|needed|requested|required|asked)|(?:asks?|asked|requests?|wants?|needs?) (?:for )?no gpus?|does not (?:need|use|want|request) (?:a |any )?gpus?|cpu[- ]only (?:by design|on purpose|job|node|image|training|run|worker)|meant to run on (?:the )?cpu|gpu is not (?:needed|wanted|used)|(?:runner|node|machine|host|image|laptop|box|job|server|test set)s? (?:without (?:a |any )?gpus?|has no gpus?|that has no gpus?)|expected: coordinator|num_gpus ?= ?0\b|not gpu\b|intentionally (?:on|using) (?:the )?cpu|(?:hides?|hidden|without) (?:the |a |any )?gpus?\b.{0,60}\bon purpose)\b/i;
/** A test run that leaves its GPU part out because it is told to, or because there is none to test on. */
const skipped =
  /\b(?:skip(?:s|ped|ping)?|deselect(?:ed|ing)?|not run(?:ning)?|omit(?:ted|ting)?)\b.{0,40}\b(?:gpu|cuda)(?:[- ]\w{1,12})? (?:tests?|suites?|cases?|part|backend)\b|\b(?:gpu|cuda)(?:[- ]\w{1,12})? (?:tests?|suites?|cases?)\b.{0,40}\b(?:skipped|skipping|deselected|not run|disabled)\b|\b\w{0,20}TEST_(?:GPU|CUDA)=(?:false|0|no|off)\b/i;
const set =
  /(?:^|\s)(?:--device[= ]['"]?cpu\b|--(?:no-?cuda|cpu-only|use-cpu|cpu)\b|(?:JAX_PLATFORMS|JAX_PLATFORM_NAME)=cpu\b|CUDA_VISIBLE_DEVICES=(?:-1|""|'')(?:\s|$)|device: cpu\b|using device:? ?['"]?cpu\b)/i;

/** Says of the person or of the command line that the CPU is wanted. */
export const wish: Parser = {
  id: 'wish',
  literals: [
    'no gpu',
    'no nvidia.com/gpu in',
    'pool=cpu',
    'cpu-only',
    'cpu only',
    '--device',
    '--no-cuda',
    '--no_cuda',
    '--cpu',
    '--use-cpu',
    'jax_platform',
    'cuda_visible_devices=',
    'device: cpu',
    'on the cpu',
    'gpu is not',
    'using cpu',
    'need a gpu',
    'any gpu',
    'use gpu',
    'without a gpu',
    'on purpose',
    'without gpu',
    'has no gpu',
    'not gpu',
    'num_gpus=0',
    'gpu tests',
    'cuda tests',
    'gpu suite',
    'test_gpu=',
    'test_cuda=',
    'gpu part',
    'gpu test',
    'cuda test',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      if (
        said.test(line.clean.slice(0, 400)) ||
        skipped.test(line.clean.slice(0, 400)) ||
        set.test(line.clean.slice(0, 2000))
      )
        sink.add('program.wish', 'cpu', line);
    }
  },
};
