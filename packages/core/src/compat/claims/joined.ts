/** Statements that one sentence holds, and what of them makes the sentence true. */
export interface Joined {
  readonly parts: readonly string[];
  /** `all`: every part is said; `none`: every part is denied. */
  readonly said: 'all' | 'none';
  /** It is not sure that the seam parts two statements. */
  readonly loose?: boolean;
}

const neither = /\bneither (.{1,60}?) nor ((?:for |on |in |with |by |from )?(?:the |an? )?\S+)/i;
const notOnly = /\bnot (?:only|just|merely|solely) ([^,;]{2,80}?),? but(?: also| even| as well)? ([^,;.]{2,120})/i;
const both = /^both ([^,;]{1,30}) and (\S+(?: \d{3,4}s?)?)/i;

/** Where a second statement begins that has a subject and a predicate of its own. */
const seams: readonly RegExp[] = [
  // The way around a fault belongs to what is said of the fault.
  /; (?!nccl_nvls_enable=0 (?:gets? around|avoids?|works? around) )(?:and |but |so |while |whereas |yet )?/i,
  /,? whereas (?=\S+ )|, (?:while|yet) (?=\S+ )/i,
  /, (?=(?:sm_\d+|r?\d{3}[\d.]*|cuda \d[\d.]*) (?:is|are|does|do|can|will)(?:n't| not)? )/i,
  /, but (?!not\b|only\b|never\b|also\b)/i,
  /, (?=(?:it|they) (?:is|are|can|cannot|can't|does|doesn't|do|don't|will|won't|has|have) )/i,
  /, (?=(?:no|nothing|none) [a-z][^,;]{2,60}$)/i,
];
const and =
  / while (?=\S+ )|,? and (?=(?:the |an? |its |our |their )?[\w./-]+(?: [\w./-]+){0,3} (?:can|cannot|can't|needs?|runs?|works?|does|do|takes?|still|drives?|supports?|starts?|compiles?|loads?|will|won't|doesn't|don't) )/i;

const predicate =
  /\b(?:is|are|was|were|can|cannot|can't|could|may|must|will|won't|would|should|needs?|needed|runs?|works?|does|do|doesn't|don't|isn't|aren't|has|have|had|takes?|makes?|says?|means?|gets?|goes|drives?|supports?|starts?|stops?|fails?|brings?|comes?|keeps?|stays?|requires?|required|allows?|lets?|compiles?|loads?|covers?|serves?|shows?|reports?|contains?|leaves?|loses?|drops?|gives?|knows?|lacks?|ignores?|checks?|skips?|evaluates?|refuses?|decides?|matters?|counts?|enough|not)\b/i;

/**
 * The statements of a sentence that says more than one thing: `neither A nor B works`, `not only A but also B`, `A
 * runs, whereas B does not`, two sentences with a semicolon. Null where it says one.
 */
export function joinedParts(text: string): Joined | null {
  const none = neither.exec(text);
  if (none !== null) {
    const with_ = (part: string): string => text.slice(0, none.index) + part + text.slice(none.index + none[0].length);
    return { parts: [with_(none[1] as string), with_(none[2] as string)].map(trimmed), said: 'none' };
  }
  const also = notOnly.exec(text);
  if (also !== null) {
    const head = text.slice(0, also.index);
    const tail = text.slice(also.index + also[0].length);
    return { parts: [head + (also[1] as string) + tail, head + (also[2] as string) + tail].map(trimmed), said: 'all' };
  }
  const two = both.exec(text);
  if (two !== null) {
    const tail = text.slice(two[0].length);
    return { parts: [`${two[1] as string}${tail}`, `${two[2] as string}${tail}`], said: 'all' };
  }
  for (const seam of seams) {
    const at = seam.exec(text);
    if (at === null) continue;
    const parts = [text.slice(0, at.index), text.slice(at.index + at[0].length)];
    if (parts.every((part) => part.trim().length > 9) && parts.every((part) => predicate.test(part)))
      return { parts, said: 'all' };
  }
  const at = and.exec(text);
  if (at === null) return null;
  const parts = [text.slice(0, at.index), text.slice(at.index + at[0].length)];
  return parts.every((part) => part.trim().length > 9 && predicate.test(part))
    ? { parts, said: 'all', loose: true }
    : null;
}

function trimmed(text: string): string {
  return text.trim();
}

/** What is set against the thing that is said, and is no statement of its own. */
const contrast =
  /,? (?:and |but )?(?:not|never) (?=(?:just |only )?(?:as|by|from|with|on|in|of|to|the|an?|that of|its|at|for) )[^,;.]{2,80}(?=[.!]?$)|,? (?:rather than|instead of|as opposed to|in place of) [^,;.]{2,80}(?=[.!,]|$)/i;
/** `is not about X, it says Y`. */
const corrected =
  / (?:is|are|does|do|has|means|says|tells)(?:n't| not) [^,;]{2,70}[,;] (?:but |rather )?(?:it|they|this|that) (?=\w)/i;

/** `the driver, not CUDA itself`: no predicate of its own. */
const bareContrast = /, (?:and |but )?not (?!even\b|only\b|just\b|that\b|yet\b|\w+ing\b)(?:\S+ ?){1,4}(?=[.!]?$)/i;

/** A sentence without what it sets itself off from: `X rather than Y`, `X, not Y`. Null: none. */
export function withoutContrast(text: string): string | null {
  const set = contrast.exec(text) ?? bareContrast.exec(text);
  if (set === null || set.index < 8) return null;
  return text.slice(0, set.index) + text.slice(set.index + set[0].length);
}

/** `not A but B`, in one breath. */
const notBut =
  /(?:\bnot|n't) (?!only\b|just\b|merely\b|solely\b|even\b)(?:the |an? |of |that |on |in |from |with |by |to |for |about |because of )[^,;]{2,70}?,? but (?:rather |instead )?(?=(?:the|an?|of|that|its|on|in|from|with|by|to|for|about|because of)\b)/i;

/** What is said in place of what is denied: `is not about X, it says Y` says Y, `not A but B` says B. Null: neither. */
export function putRight(text: string): string | null {
  const fix = corrected.exec(text);
  if (fix !== null && fix.index > 1) return `${text.slice(0, fix.index)} ${text.slice(fix.index + fix[0].length)}`;
  const but = notBut.exec(text);
  return but === null ? null : text.slice(0, but.index) + text.slice(but.index + but[0].length);
}
