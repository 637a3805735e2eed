//! What a player does in the square: talks, votes, and trusts some more than others.

use std::collections::{BTreeMap, BTreeSet};

use super::super::dice::Dice;
use super::super::reading;
use super::super::talk;
use super::super::tempo::Tempo;
use super::super::wish::Anchor;
use crate::hall::Line;

/// How often a player tries to vote before giving up and abstaining.
const ATTEMPTS: u32 = 4;

/// What is voted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadKind {
    /// Who becomes sheriff.
    Election,
    /// Who goes out.
    Day,
}

/// A vote that is open.
#[derive(Debug)]
struct Thread {
    kind: ThreadKind,
    anchor: Anchor,
    /// Posts that were no votes.
    posts: u32,
    /// The newest vote post.
    vote: Option<Vote>,
    /// Whom the host would not have.
    refused: BTreeSet<String>,
    attempts: u32,
}

#[derive(Debug)]
struct Vote {
    seq: u64,
    target: String,
    refused: bool,
}

/// A player's view of the square.
pub(super) struct Square {
    me: String,
    dice: Dice,
    names: Vec<String>,
    gone: BTreeSet<String>,
    checked: BTreeSet<String>,
    /// How much somebody is distrusted beyond the mood of the table.
    distrust: BTreeMap<String, f64>,
    thread: Option<Thread>,
    /// What was said in the square since talk began: nobody likes a parrot.
    heard: BTreeSet<String>,
    claim: Option<String>,
    claimed: bool,
    out: bool,
}

impl Square {
    pub(super) fn new(me: String, dice: Dice) -> Self {
        Self {
            me,
            dice,
            names: Vec::new(),
            gone: BTreeSet::new(),
            checked: BTreeSet::new(),
            distrust: BTreeMap::new(),
            thread: None,
            heard: BTreeSet::new(),
            claim: None,
            claimed: false,
            out: false,
        }
    }

    /// The cards are dealt to these.
    pub(super) fn seat(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// These have gone out.
    pub(super) fn remove(&mut self, names: &[String]) {
        self.out |= names.contains(&self.me);
        self.gone.extend(names.iter().cloned());
    }

    /// The player goes out.
    pub(super) fn go_out(&mut self) {
        self.out = true;
    }

    /// Talk and vote begin.
    pub(super) fn open(&mut self, kind: ThreadKind, anchor: Anchor) {
        self.claimed = false;
        self.heard.clear();
        self.thread = Some(Thread {
            kind,
            anchor,
            posts: 0,
            vote: None,
            refused: BTreeSet::new(),
            attempts: 0,
        });
    }

    /// Talk and vote are over.
    pub(super) fn close(&mut self) {
        self.thread = None;
    }

    /// Somebody's faction came out.
    pub(super) fn learn(&mut self, target: &str, answer: &str) {
        self.checked.insert(target.to_owned());
        let wolf = answer.contains("狼人");
        *self.distrust.entry(target.to_owned()).or_default() += if wolf { 2.0 } else { -1.0 };
        if wolf && !self.gone.contains(target) {
            self.claim = Some(target.to_owned());
        }
    }

    /// Those whose faction came out.
    pub(super) fn checked(&self) -> &BTreeSet<String> {
        &self.checked
    }

    /// A post of one's own.
    pub(super) fn hear_myself(&mut self, line: &Line) {
        self.heard.insert(line.text.clone());
        let Some(thread) = &mut self.thread else {
            return;
        };
        if let Some(target) = voted_for(&line.text) {
            let target = target.to_owned();
            thread.vote = Some(Vote {
                seq: line.seq,
                target,
                refused: false,
            });
        } else {
            thread.posts += 1;
            self.claimed |= line.text.contains("我验了");
        }
    }

    /// Somebody else's post: who is named as a wolf is trusted less.
    pub(super) fn hear_other(&mut self, line: &Line) {
        self.heard.insert(line.text.clone());
        let Some((_, named)) = line.text.split_once("我验了") else {
            return;
        };
        if let Some(accused) = self
            .names
            .iter()
            .find(|name| named.starts_with(name.as_str()))
        {
            *self.distrust.entry(accused.clone()).or_default() += 0.6;
        }
    }

    /// The host's answer to one's own vote post.
    pub(super) fn hear_answer(&mut self, line: &Line) {
        let Some(thread) = &mut self.thread else {
            return;
        };
        let Some(vote) = thread
            .vote
            .as_mut()
            .filter(|vote| line.reply_to == Some(vote.seq))
        else {
            return;
        };
        if !reading::vote_was_taken(&line.text) && !vote.refused {
            vote.refused = true;
            thread.refused.insert(vote.target.clone());
            thread.attempts += 1;
        }
    }

    /// The one whom the player trusts least, mates aside.
    pub(super) fn suspect<'a>(&'a self, mates: &BTreeSet<String>) -> Option<&'a str> {
        self.others(mates)
            .max_by(|a, b| self.suspicion(a).total_cmp(&self.suspicion(b)))
            .map(String::as_str)
    }

    /// What the player wants to say: its name, when, and the words.
    pub(super) fn wishes(
        &self,
        tempo: &Tempo,
        mates: &BTreeSet<String>,
    ) -> Vec<(String, i64, String)> {
        let Some(thread) = self
            .thread
            .as_ref()
            .filter(|_| !self.out && !self.names.is_empty())
        else {
            return Vec::new();
        };
        let span = match thread.kind {
            ThreadKind::Election => tempo.election,
            ThreadKind::Day => tempo.day,
        };
        let talk = self.talk_wish(thread, span, mates);
        let vote = self.vote_wish(thread, span, tempo.think, mates);
        talk.into_iter().chain(vote).collect()
    }

    fn talk_wish(
        &self,
        thread: &Thread,
        span: f64,
        mates: &BTreeSet<String>,
    ) -> Option<(String, i64, String)> {
        let name = format!("talk/{}", thread.anchor.seq);
        let quota = match thread.kind {
            ThreadKind::Election => 1,
            // With the vote these are five or six posts: nobody is idle.
            ThreadKind::Day if self.dice.chance(&name, 0.4) => 5,
            ThreadKind::Day => 4,
        };
        if thread.posts >= quota {
            return None;
        }
        let key = format!("{name}/{}", thread.posts);
        let place = f64::from(thread.posts) + self.dice.unit(&key);
        let due = thread
            .anchor
            .plus(span * (0.03 + 0.5 * place / f64::from(quota)));
        Some((key.clone(), due, self.words(thread, &key, mates)))
    }

    fn words(&self, thread: &Thread, key: &str, mates: &BTreeSet<String>) -> String {
        if thread.kind == ThreadKind::Day
            && !self.claimed
            && let Some(wolf) = self
                .claim
                .as_ref()
                .filter(|wolf| !self.gone.contains(*wolf))
        {
            return format!("我是预言家，我验了{wolf}，是狼人！");
        }
        let phrases: &[&str] = match thread.kind {
            ThreadKind::Election => &talk::ELECTION,
            ThreadKind::Day => &talk::TALK,
        };
        let others: Vec<&String> = self.others(mates).collect();
        let attempt = |nth: usize| {
            let throw = format!("{key}/{nth}");
            let phrase = self.dice.pick(&throw, phrases).copied().unwrap_or("过。");
            let whom = self.dice.pick(&format!("{throw}/whom"), &others);
            phrase.replace("{}", whom.map_or("大家", |name| name.as_str()))
        };
        let fresh = (0..phrases.len())
            .map(attempt)
            .find(|words| !self.heard.contains(words));
        fresh.unwrap_or_else(|| attempt(0))
    }

    fn vote_wish(
        &self,
        thread: &Thread,
        span: f64,
        think: f64,
        mates: &BTreeSet<String>,
    ) -> Option<(String, i64, String)> {
        if thread.vote.as_ref().is_some_and(|vote| !vote.refused) || thread.attempts > ATTEMPTS {
            return None;
        }
        let key = format!("vote/{}/{}", thread.anchor.seq, thread.attempts);
        let first = span
            * self
                .dice
                .between(&format!("vote/{}", thread.anchor.seq), 0.4, 0.72);
        let due = thread
            .anchor
            .plus(first + 2.0 * think * f64::from(thread.attempts));
        let target = if thread.attempts >= ATTEMPTS {
            None
        } else {
            self.target(thread, mates)
        };
        let target = target.unwrap_or("弃权");
        let reasons: &[&str] = match thread.kind {
            ThreadKind::Election => &talk::TRUST,
            ThreadKind::Day => &talk::REASONS,
        };
        let reason = self.dice.pick(&key, reasons).copied().unwrap_or("直觉");
        Some((key, due, format!("投票对象：{target}\n投票理由：{reason}")))
    }

    fn target<'a>(&'a self, thread: &Thread, mates: &BTreeSet<String>) -> Option<&'a str> {
        let nobody = BTreeSet::new();
        let (mates, sign) = match thread.kind {
            // One would rather have a mate as sheriff, and rather not see one go.
            ThreadKind::Election => (&nobody, -1.0),
            ThreadKind::Day => (mates, 1.0),
        };
        self.others(mates)
            .filter(|name| !thread.refused.contains(*name))
            .max_by(|a, b| (sign * self.suspicion(a)).total_cmp(&(sign * self.suspicion(b))))
            .map(String::as_str)
    }

    /// Everybody in play but the player and these.
    fn others<'a, 'm>(
        &'a self,
        mates: &'m BTreeSet<String>,
    ) -> impl Iterator<Item = &'a String> + use<'a, 'm> {
        self.names.iter().filter(|name| {
            **name != self.me && !self.gone.contains(*name) && !mates.contains(*name)
        })
    }

    /// A mood that all share, one's own mind, and what one knows.
    fn suspicion(&self, name: &str) -> f64 {
        let day = self.thread.as_ref().map_or(0, |thread| thread.anchor.seq);
        let mood = 0.7 * self.dice.shared().unit(&format!("mood/{day}/{name}"));
        let mind = 0.5 * self.dice.unit(&format!("mind/{day}/{name}"));
        mood + mind + self.distrust.get(name).copied().unwrap_or(0.0)
    }
}

/// Whom a vote post names; `None` for other posts.
fn voted_for(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("投票对象：")?;
    Some(behind.lines().next().unwrap_or_default().trim())
}
