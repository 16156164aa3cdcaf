import type { Claim } from './claim-parts.ts';
import { isNegated } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';

/** A fact about the programming model or the stack: what the sentence is about, which words assert it, which deny it. */
interface Fact {
  readonly id: string;
  /** All of these must be there. */
  readonly about: readonly RegExp[];
  /** Words that say the right thing; a sentence about it without them says the wrong thing if `wrong` matches. */
  readonly right: RegExp;
  readonly wrong: RegExp;
  readonly because: string;
  readonly message: string;
  readonly restsOn: readonly string[];
}

const guide = ['cuda-programming-guide'];

const facts: readonly Fact[] = [
  {
    id: 'libcuda-from-driver',
    about: [
      /\blibcuda(?:\.so(?:\.1)?)?\b(?!rt)/,
      /\b(?:ships?|comes?|part of|belongs?|provided|installed|brings?|supplied|from)\b/,
    ],
    right: /\bdriver\b/,
    wrong: /\btoolkit\b|\bcuda[- ]toolkit\b|(?<!\bdriver )\bpackages?\b|\bimage\b/,
    because: 'host-needs-driver-only',
    message: 'libcuda comes with the driver; libcudart and the math libraries come with the toolkit or the wheel',
    restsOn: ['cuda-minor-version-compat'],
  },
  {
    id: 'cudart-from-toolkit',
    about: [
      /\blibcudart\b|\bcuda runtime\b|\blibcublas\b|\bcublas\b/,
      /\b(?:ships?|comes?|part of|belongs?|provided|installed|brings?|supplied)\b/,
    ],
    right: /\btoolkit\b|\bwheel\b|\bimage\b|\bcontainer\b|\bapplication\b|\bprogram\b/,
    wrong: /\bdriver\b|\bhost\b/,
    because: 'host-needs-driver-only',
    message: 'the runtime and the math libraries come with the toolkit, the image or the wheel',
    restsOn: ['cuda-minor-version-compat'],
  },
  {
    id: 'host-libcuda-in-container',
    about: [/\blibcuda\b/, /\bcontainer|\bimage/, /\b(?:mount(?:s|ed)?|inject(?:s|ed)?|host)\b/],
    right: /\b(?:mount(?:s|ed)?|inject(?:s|ed)?|from the host|host'?s|host driver)\b/,
    wrong: /\b(?:image'?s own|own libcuda|from the image|must be in the image|baked)\b/,
    because: 'host-needs-driver-only',
    message: 'the container toolkit brings the libcuda of the host into the container',
    restsOn: ['container-toolkit-docs'],
  },
  {
    id: 'no-libcuda-in-image',
    about: [
      /\b(?:bake|baking|baked|copy|copying|install|installing|put|putting|ship)\b/,
      /\blibcuda\b|\bthe driver\b|\bdriver librar/,
      /\bimage|\bcontainer|\bdockerfile/,
    ],
    right: /\b(?:do not|never|must not|should not|bad|wrong|mistake|avoid|breaks?|mismatch|803)\b/,
    wrong: /\b(?:should|must|good|need|needed|safe|fine|best|recommended|required|has to)\b/,
    because: 'host-needs-driver-only',
    message:
      'driver libraries do not belong into an image: with another host driver they do not pair with the kernel module',
    restsOn: ['container-toolkit-docs'],
  },
  {
    id: 'warp-size',
    about: [/\bwarp\b/, /\bthreads?\b|\blanes?\b/, /\b\d+\b/],
    right: /\b32\b/,
    wrong: /\b(?:16|64|8|128|256|1024)\b/,
    because: 'hardware',
    message: 'a warp has 32 threads',
    restsOn: guide,
  },
  {
    id: 'utilization',
    about: [
      /\b(?:gpu[- ]util(?:ization|isation)?|utili[sz]ation|util)\b/,
      /\b(?:100|full|fully|busy|saturated|all sms|every sm|efficient|used)\b/,
    ],
    right:
      /\b(?:does not mean|not mean|says little|only (?:says|means|shows)|any kernel|some kernel|at least one|did (?:the gpu )?(?:do )?anything|nothing about|even (?:if|though|when)|does not (?:say|show|prove)|can be)\b/,
    wrong: /\b(?:means?|is|proves?|shows?|fully|saturated|all|efficient|no room)\b/,
    because: 'hardware',
    message: 'the utilisation counter says that some kernel ran, not how much of the GPU it used',
    restsOn: guide,
  },
  {
    id: 'b200-sms',
    about: [/\bb200\b/, /\bsms?\b|\bmultiprocessors?\b/, /\b148\b/],
    right:
      /\b(?:in all|in total|whole|total|together|both dies)\b|\b148\b(?![^;]{0,40}\b(?:per|each|every|a|one|single) (?:die|chip))/,
    wrong: /\b(?:per die|each die|on each|a die|every die|per chip)\b/,
    because: 'hardware',
    message: 'a B200 shows 148 SMs in all, over both of its dies',
    restsOn: ['quickruncuda'],
  },
  {
    id: 'h100-sms',
    about: [/\bh100\b/, /\bsms?\b|\bmultiprocessors?\b/, /\b\d{2,3}\b(?! ?gb)/],
    right: /\b132\b/,
    wrong: /\b(?:108|114|144|148|128|66)\b/,
    because: 'hardware',
    message: 'an H100 SXM has 132 SMs',
    restsOn: ['jax-ragged-dot'],
  },
  {
    id: 'watchdog',
    about: [
      /\bwatchdog\b|\btimeout\b|\btdr\b|\bkilled\b|\bhangs? forever\b/,
      /\bdatacenter\b|\bcompute[- ]only\b|\bheadless\b|\bkernel\b/,
    ],
    right:
      /\b(?:no watchdog|without (?:a )?watchdog|hangs? forever|never (?:killed|stopped|times out)|not (?:killed|stopped|time out))\b/,
    wrong: /\b(?:watchdog (?:kills?|stops?|ends?)|kills?|killed|times? out|stopped|aborts?)\b/,
    because: 'hardware',
    message: 'compute-only GPUs have no watchdog: a kernel that never ends hangs forever',
    restsOn: guide,
  },
  {
    id: 'same-stream',
    about: [/\bstreams?\b/, /\bsame\b|\bone\b|\bsingle\b/, /\border|\bparallel\b|\boverlap|\bconcurrent/],
    right: /\border\b|\bin sequence\b|\bone after\b|\bserial/,
    wrong: /\bparallel\b|\boverlap\b|\bconcurrent|\bout of order\b/,
    because: 'hardware',
    message: 'operations of one stream run in order; those of different streams can overlap',
    restsOn: guide,
  },
  {
    id: 'pinned-memory',
    about: [
      /\bpinned\b|\bpage-locked\b|\bcudamallochost\b|\bcudahostalloc\b/,
      /\b(?:oom|memory|ram|transfers?|copies|fast|fastest|slow)\b/,
    ],
    right: /\b(?:fast(?:er|est)?|required|needed|exhaust|oom|too much|excessive|runs? out|full speed)\b/,
    wrong: /\b(?:slower|free|unlimited|no effect|can not (?:cause|exhaust)|never (?:causes|exhausts)|gpu memory)\b/,
    because: 'hardware',
    message: 'pinned host memory makes copies fastest, and too much of it exhausts the RAM of the host',
    restsOn: guide,
  },
  {
    id: 'managed-memory',
    about: [/\bmanaged\b|\bunified memory\b|\bcudamallocmanaged\b/],
    right: /\b(?:slow(?:er)?|page faults?|thrash|migrat|bottleneck|prefetch|trap|hints?|collapse)\b/,
    wrong: /\b(?:same speed|as fast|nearly the same|no (?:cost|penalty|slowdown)|free|faster|full speed)\b/,
    because: 'hardware',
    message: 'managed memory moves pages on faults: without prefetch or advice a working set that does not fit is slow',
    restsOn: guide,
  },
  {
    id: 'driver-independent',
    about: [
      /\bcontainer|\bimage/,
      /\bdrivers?\b/,
      /\b(?:independent|separate|different|own|brings?|inside|contains?|ships?|includes?|carry|carries|has|have|part of|comes? with)\b/,
    ],
    right: /\b(?:independent|separate|outside)\b|\b(?:from|on|of|to) the host\b|\bhost'?s driver\b/,
    wrong:
      /\b(?:containers?|images?)\b[^,;]{0,12}\b(?:brings?|contains?|ships?|has|have|includes?|carry|carries|comes? with)\b[^,;]{0,16}\bdrivers?\b|\b(?:needs?|requires?) (?:its|their|an?) (?:own )?(?:nvidia |gpu )?drivers?\b[^,;]{0,12}(?:\binside\b|$)|\bdrivers? (?:is |are )?(?:in|inside|part of) the (?:containers?|images?)\b/,
    because: 'host-needs-driver-only',
    message: 'the driver belongs to the host; a container brings the CUDA libraries',
    restsOn: ['container-toolkit-docs'],
  },
];

/** A statement of the operator's mental model that no other topic took. */
export function pageClaim(claim: Claim): ClaimVerdict | null {
  const { all } = claim.text;
  for (const fact of facts) {
    const found = heldAgainst(fact, all);
    if (found !== null) return found;
  }
  return null;
}

function heldAgainst(fact: Fact, text: string): ClaimVerdict | null {
  if (!fact.about.every((pattern) => pattern.test(text))) return null;
  const right = fact.right.test(text);
  const wrong = fact.wrong.test(text);
  if (!right && !wrong) return null;
  const t = truth(true, fact.because, fact.message, fact.restsOn);
  // Words that carry their own negation are not counted twice.
  const rest = text.replace(fact.right, ' ').replace(fact.wrong, ' ');
  if (!right || !wrong) return answer(t, right ? isNegated(rest) : !isNegated(rest));
  // `from the driver, not from the toolkit`
  const rejected = /\b(?:not|rather than|instead of|never)\b[^,;]{0,30}/.exec(text)?.[0] ?? '';
  if (rejected !== '') return answer(t, fact.right.test(rejected) && !fact.wrong.test(rejected));
  return eachPart(text);
}

/** `libcuda comes with the driver, libcudart with the toolkit`: each part by itself, the verb of the first for all. */
function eachPart(text: string): ClaimVerdict | null {
  const parts = text.split(/,| and | while /).filter((part) => part.trim().length > 6);
  if (parts.length < 2) return null;
  const verb =
    /\b(?:is |are )?(?:ships?|comes?|part of|belongs?|provided|installed|brought|supplied)\b(?: (?:by|with|from|to|of))?/.exec(
      text,
    )?.[0] ?? '';
  const found: ClaimVerdict[] = [];
  for (const part of parts) {
    const whole = part.includes(verb) ? part : part.replace(/^(\s*\S+)/, `$1 ${verb}`);
    for (const fact of facts) {
      if (!fact.about.every((pattern) => pattern.test(whole)) || fact.right.test(whole) === fact.wrong.test(whole))
        continue;
      const one = heldAgainst(fact, whole);
      if (one !== null) found.push(one);
      break;
    }
  }
  if (found.length !== parts.length) return null;
  return found.find((one) => one.answer !== 'true') ?? found[0] ?? null;
}
