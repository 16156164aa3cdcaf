/** Ideas that words of a claim stand for. */
export type Idea =
  | 'need'
  | 'run'
  | 'can'
  | 'only'
  | 'every'
  | 'none'
  | 'host'
  | 'container'
  | 'toolkit'
  | 'compile'
  | 'broken'
  | 'fine'
  | 'refuse'
  | 'equal'
  | 'bundle'
  | 'upgrade'
  | 'raise'
  | 'smi'
  | 'compat'
  | 'minorCompat'
  | 'backward'
  | 'major'
  | 'within'
  | 'cross'
  | 'newest'
  | 'newer'
  | 'older'
  | 'geforce'
  | 'datacenter'
  | 'workstation'
  | 'open'
  | 'proprietary'
  | 'check'
  | 'disable'
  | 'startRefused'
  | 'kernelModule'
  | 'userMode'
  | 'bundledLibrary'
  | 'sass'
  | 'ptx'
  | 'fix';

/** What words of a claim can mean. Each pattern is one idea, whatever the wording. */
export const word: Readonly<Record<Idea, RegExp>> = {
  need: /\b(?:needs?|needed|requires?|required|requirement|must|mandatory|has to|have to|necessary|necessarily|essential|obliged|depends? on|demands?|calls? for|prerequisite|indispensable|minimum|at least)\b/,
  run: /\b(?:runs?|running|works?|working|loads?|starts?|executes?|usable|operates?|functions?|initiali[sz]es?|launch(?:es)?|use|used|compatible|supports?|supported|go(?:es)? (?:on|with|together)|fine|ok|okay|enough|sufficient|suffices?|accepts?|handles?|installed?)\b/,
  can: /\b(?:can|could|may|able|allowed|possible|lets?|permits?)\b/,
  only: /\b(?:only|solely|exclusively|just|nothing but|limited to|restricted to|reserved for)\b/,
  every: /\b(?:every|all|any|each|always|whatever|whichever|regardless|universally|no matter)\b/,
  none: /\b(?:no|none|never|nothing|not a single|not any|not one)\b/,
  host: /\b(?:hosts?|nodes?|machines?|servers?|bare[- ]metal|workers?|system(?:[- ]wide)?|locally|boxe?s?)\b/,
  container: /\b(?:containers?|images?|docker|pods?|dockeri[sz]ed|kubernetes|k8s|containeri[sz]ed)\b/,
  toolkit:
    /\b(?:cuda[- ]toolkit|toolkit|nvcc|cuda sdk|cuda-toolkit[-\d]*|libcudart|cublas|cuda (?:\d[\d.]* )?(?:is |be |to be |being |has to be |must be )?installed|cuda installation|install(?:ing|ed)? (?:the )?(?:same )?cuda|cuda itself|cuda libraries)\b/,
  compile: /\b(?:compil(?:e|es|ed|ing|ation|er)|builds? from source|building|extensions?|from source|build time)\b/,
  broken:
    /\b(?:broken|mismatch(?:ed|es)?|wrong|problems?|corrupt(?:ed)?|inconsistent|conflicts?|fault(?:y)?|error|incompatible|invalid|bug|trouble|reinstall|misconfigured|messed up|must match|has to match|should match|must be (?:the same|equal|identical)|need to match|needs to match|have to match|must agree)\b/,
  fine: /\b(?:safe|harmless|fine|ok|okay|risk[- ]free|no problem|without (?:any )?(?:risk|problem|trouble)s?|unproblematic|no issue|nothing (?:breaks|changes)|does not matter|irrelevant|normal|expected|can be ignored|not broken|not a problem|no reason to worry|meaningless)\b/,
  refuse:
    /\b(?:refused?|refuses|rejected?|rejects|blocked|blocks|denied|denies|stopped at (?:the )?start|(?:does|do|will|would|can) not (?:even )?start|fails at start|not started|prevents?|stops?)\b/,
  equal:
    /\b(?:is|are|equals?|same as|identical|means|shows|names|tells|prints|reports|reflects|indicates|matches|corresponds|gives|denotes|stands for)\b/,
  bundle:
    /\b(?:bundles?|bundled|brings?|brought|ships?|shipped|contains?|carries|carry|includes?|included|comes? with|its own|their own|own cop(?:y|ies)|self-contained|inside the wheel|packaged)\b/,
  upgrade:
    /\b(?:upgrad(?:e|es|ed|ing)|updat(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|migrat(?:e|es|ed|ing)|switch(?:es|ed|ing)?|going from|go from|goes from|step|bump(?:s|ed|ing)?|rolling out|roll out|replac(?:e|es|ed|ing)|install(?:ing)? (?:a )?newer|chang(?:e|es|ed|ing)|jump(?:s|ing)?|raising|newer)\b/,
  raise:
    /\b(?:raises?|raised|increases?|increased|lifts?|higher|newer|bumps?|changes?|moves?|pushes|demands|needs? (?:a )?(?:new|newer|higher|another)|requires? (?:a )?(?:new|newer|higher|another))\b/,
  smi: /\bnvidia-smi\b/,
  compat:
    /\b(?:forward[- ]compat(?:ibility|ible)?|cuda[- ]compat(?:ibility)?(?:[- ](?:orin-)?\d+[-.]\d+)?|compat (?:package|librar(?:y|ies)|libs?|libcuda|mode|director(?:y|ies)|folder|layer)|compat)\b/,
  minorCompat: /\bminor[- ]version(?: compat(?:ibility|ible)?)?\b|\bmvc\b|\benhanced compatibility\b/,
  backward: /\b(?:backwards?[- ]compat(?:ibility|ible)?|backwards? compatible|backward)\b/,
  major: /\bmajors?\b|\bmajor versions?\b/,
  within: /\b(?:inside|within|same|one|single|stays? in|keeps? to|in the same)\b/,
  cross: /\b(?:cross(?:es|ing)?|across|between|different|another|other|spans?|spanning|over|beyond|leaves?|outside)\b/,
  newest:
    /\b(?:newest|highest|latest|maximum|max|most recent|up to|upper limit|at most|supports?|supported|serves?|capable|can handle|could run|ceiling)\b/,
  newer: /\b(?:newer|later|higher|more recent|above)\b/,
  older: /\b(?:older|earlier|lower|below|previous|before|less than|under)\b/,
  geforce: /\b(?:geforce|consumer|gaming|desktop gpus?|gamer|gtx|titan|rtx [2-5]0[5-9]0)\b/,
  datacenter: /\b(?:datacenter|tesla|server gpus?|enterprise gpus?)\b/,
  workstation: /\b(?:workstation|quadro|rtx pro|rtx a\d{4}|professional)\b/,
  open: /\bopen(?:[- ]source)?(?: gpu)?(?: nvidia)?(?:[- ]kernel)?[- ](?:modules?|flavou?r|drivers?|kmods?)\b|\bnvidia-open\b|\bopen flavou?r\b|\bopen (?:kernel )?(?:module|variant)\b|\bopen gpu kernel\b|\bopen ones?\b/,
  proprietary:
    /\bproprietary\b|\bclosed(?:[- ]source)? (?:gpu )?(?:kernel )?(?:modules?|flavou?rs?|drivers?|ones?|variants?|kmods?)\b|\bclosed[- ]source\b/,
  check:
    /\bnvidia_require(?:_cuda|_[a-z*]+)?\b|\bstart(?:up)? check\b|\brequirement check\b|\bcuda requirement\b|\brequirements? of (?:the |an? )?(?:nvidia\/cuda|image|container)|\bunsatisfied condition\b|\brequire check\b|\bimage requirements?\b|\brequirement string\b/,
  disable: /\bnvidia_disable_require\b|\bdisable[- ]require\b|\bdisabl(?:e|es|ing) the (?:requirement|start|check)\b/,
  startRefused:
    /\b(?:refused?|rejected?|blocked|denied|stopped|not (?:be )?started|can not start|will not start|does not start|never starts?|prevented|fails?)\b[^.]{0,40}\b(?:start|startup|launch|runtime|created?|toolkit)\b|\b(?:start|startup|launch)\b[^.]{0,30}\b(?:refus|reject|block|den|stop|prevent|fail)|\brefuses?\b|\brejects?\b|\b(?:will|does|can) not (?:even )?start\b|\bnever starts?\b/,
  kernelModule: /\bkernel modules?\b|\bkernel[- ]mode\b|\bkmd\b/,
  userMode: /\buser[- ]?(?:mode|space)\b/,
  bundledLibrary: /\b(?:cudnn|nccl|cublas|cufft|cusparse|libcudnn\d?|libnccl\d?)\b/,
  sass: /\b(?:sass|machine code|cubins?|native code|compiled code for)\b/,
  ptx: /\bptx\b|\bjit\b|\bjust[- ]in[- ]time\b/,
  fix: /\b(?:fix(?:es|ed)?|solves?|cures?|helps?|repairs?|resolves?|gets rid of|goes away|enough|makes? it (?:run|work))\b/,
};
