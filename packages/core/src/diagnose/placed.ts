import type { Fact } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import type { EventTimes } from '../text/follows.ts';
import { mayFollow, momentOfFact } from '../text/follows.ts';
import type { Speaker } from '../text/speaker.ts';
import type { FactStore } from './fact-store.ts';
import { isFollower } from '../knowledge/followers.ts';
import type { Job } from './ranks.ts';
import { followersOf, wordsOf } from './ranks.ts';
import type { Candidate } from './verdict.ts';

/**
 * Says of the leading finding of a job which process or node it was, how many followed, and names the messages that
 * only follow among what it explains.
 */
export function placed(
  candidate: Candidate,
  follows: boolean,
  explained: ReadonlySet<Candidate>,
  context: RuleContext,
  store: FactStore,
  job: Job,
  times: EventTimes,
): Candidate {
  const { finding } = candidate;
  const own = times.of(finding.evidence);
  // What came days later on the same clock did not follow.
  const near = (fact: Fact): boolean => {
    const moment = momentOfFact(fact);
    return mayFollow(own, moment === null ? [] : [moment]);
  };
  const lead = finding.evidence.find((each) => job.whereIs(each) !== null);
  const speaker = lead === undefined ? null : job.whereIs(lead);
  const explains = new Set(finding.explains);
  for (const fact of context.said) if (isFollower(fact.id, fact.value) && near(fact)) explains.add(fact.id);
  for (const each of explained) explains.add(each.finding.rule);
  return {
    ...candidate,
    finding: {
      ...finding,
      message: `${finding.message}${follows ? nodeOnly(finding.message, job) : suffix(candidate, speaker, context, store, job, near)}`,
      explains: [...explains].filter((id) => id !== finding.rule),
    },
  };
}

/** The node of the rank that a message names. */
function nodeOnly(message: string, job: Job): string {
  const rank = /\brank (\d{1,6})\b/.exec(message)?.[1];
  const node = rank === undefined ? undefined : job.nodeOf(Number(rank));
  return node === undefined || message.includes(node) ? '' : ` (rank ${rank} runs on ${node})`;
}

function suffix(
  candidate: Candidate,
  speaker: Speaker | null,
  context: RuleContext,
  store: FactStore,
  job: Job,
  near: (fact: Fact) => boolean,
): string {
  const words = speaker === null || job.members < 2 ? null : wordsOf(missing(candidate.finding.message, speaker));
  if (words === null) return '';
  if (store.mixed) return ` (${words}; in what order the texts come is not known)`;
  const followers = [...followersOf(store, near)].filter((rank) => rank !== speaker?.rank).length;
  if (followers === 0) return ` (${words})`;
  const before = context.said.every((fact) => !isFollower(fact.id, fact.value) || fact.order > candidate.order);
  return ` (${words}${before ? ' first' : ''}; ${followers} other ${followers === 1 ? 'rank' : 'ranks'} followed)`;
}

/** What of a speaker the message does not name itself. */
function missing(message: string, speaker: Speaker): Speaker {
  const { rank, host, unit } = speaker;
  const names = (text: string): boolean => message.includes(text);
  return {
    ...(rank === undefined || new RegExp(`\\brank ${rank}\\b`).test(message) ? {} : { rank }),
    ...(host === undefined || names(host) ? {} : { host }),
    ...(unit === undefined || names(unit) ? {} : { unit }),
  };
}
